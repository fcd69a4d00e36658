// The first signed call: returns who is calling, and from where.

import { ApiError, errorOf } from "../api/error.ts";
import type { Schemas } from "../api/routes.ts";
import { type SigningCredentials, signRequest } from "./sign-request.ts";

export const WHOAMI = "/api/v1/external/whoami";
const TIMEOUT_MS = 20_000;

export interface FirstCallResult {
	readonly stringToSign: string;
	readonly response: Schemas["WhoAmI"] | undefined;
	/** Why it was refused. */
	readonly error: ApiError | undefined;
}

export async function callWhoami(credentials: SigningCredentials): Promise<FirstCallResult> {
	const { stringToSign, headers } = await signRequest(credentials, {
		method: "GET",
		target: WHOAMI,
		body: "",
		timestamp: String(Math.floor(Date.now() / 1_000)),
		nonce: crypto.randomUUID(),
	});
	try {
		const response = await fetch(WHOAMI, {
			headers: { ...headers, accept: "application/json, application/problem+json;q=0.9" },
			cache: "no-store",
			redirect: "error",
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		if (!response.ok) return { stringToSign, response: undefined, error: await errorOf(response) };
		return { stringToSign, response: (await response.json()).data, error: undefined };
	} catch (error) {
		const unreachable = new ApiError(0, "network.unreachable", String(error));
		return { stringToSign, response: undefined, error: unreachable };
	}
}
