// Requests to providers without OpenID Connect: JSON, regardless of the content type of the response.

import { ProviderFailure } from "../../domain/provider-gateway.ts";
import { isMembers } from "../../kernel/shape.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";
import type { Claims } from "./claims.ts";
import { reportedError } from "./failure.ts";

export interface JsonRequest {
	readonly url: string;
	/** Sent by POST; otherwise the request is a GET. */
	readonly json?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the JSON object of the response, whose status is 2xx or 4xx. @throws ProviderFailure */
export async function requestJson(
	calls: ProviderCalls,
	{ url, json, headers }: JsonRequest,
): Promise<{ readonly status: number; readonly body: Claims }> {
	const response = await calls.send(url, {
		method: json === undefined ? "GET" : "POST",
		headers: {
			accept: "application/json",
			...(json === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
			...headers,
		},
		body: json === undefined ? null : JSON.stringify(json),
		redirect: "manual",
	});
	const body: unknown = await response.json().catch(() => undefined);
	if (!isMembers(body))
		throw new ProviderFailure("invalid_answer", `${new URL(url).hostname}: returned no JSON object`);
	return { status: response.status, body };
}

/** @throws ProviderFailure when `value` is not a token. */
export function accessTokenOf(value: unknown): string {
	if (typeof value !== "string" || value === "")
		throw new ProviderFailure("invalid_answer", "the provider returned no access token");
	return value;
}

/**
 * The authorization code of the callback, after verifying its state.
 *
 * @throws ProviderFailure `denied` also when there is neither code nor error: how these providers report a denial.
 */
export function returnedCode(parameters: URLSearchParams, state: string, name = "code"): string {
	const states = parameters.getAll("state");
	const codes = parameters.getAll(name);
	if (states.length !== 1 || states[0] !== state)
		throw new ProviderFailure("invalid_answer", "the state is not that of the attempt");
	const error = parameters.get("error");
	if (error === "access_denied" || (error === null && codes.length === 0))
		throw new ProviderFailure("denied", "the user did not allow it");
	if (error !== null) throw reportedError(error);
	const [code = "", ...others] = codes;
	if (code === "" || others.length > 0)
		throw new ProviderFailure("invalid_answer", "there is not exactly one code");
	return code;
}
