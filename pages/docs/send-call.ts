// Sends a call with the access token of this page and returns the response with any status.

import { ApiError, errorOf } from "../api/error.ts";
import { renewSession, session, signInAgain } from "../api/session.ts";
import type { Call } from "./call.ts";

const TIMEOUT_MS = 20_000;
const SHOWN_MAX = 200_000;
const TOKEN_CODES = ["token.invalid", "token.missing"];

export interface CallResponse {
	/** 0: a redirect, which the page does not follow. */
	readonly status: number;
	readonly tookMs: number;
	/** JSON is indented; at most 200,000 characters. */
	readonly text: string;
	readonly isCut: boolean;
	readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Does not send the session cookie. Renews an expired access token once; if the session has
 * ended, a dialog asks the user to sign in again.
 *
 * @throws ApiError `network.unreachable`, or if the user declines to sign in again.
 */
export async function sendCall(call: Call, { withToken }: { withToken: boolean }): Promise<CallResponse> {
	for (let attempt = 0; ; attempt++) {
		const token = withToken ? session.value.accessToken : undefined;
		const beganMs = performance.now();
		const response = await request(call, token);
		const tookMs = performance.now() - beganMs;
		if (token !== undefined && response.status === 401 && attempt < 2) {
			const { code } = await errorOf(response.clone());
			if (TOKEN_CODES.includes(code)) {
				const isRenewed = attempt === 0 && (await renewSession(token));
				if (!isRenewed) await signInAgain();
				continue;
			}
		}
		return await callResponse(response, tookMs);
	}
}

function request({ method, target, headers, body }: Call, token: string | undefined): Promise<Response> {
	return fetch(target, {
		method,
		headers: {
			accept: "application/problem+json, application/json, */*",
			...headers,
			...(body !== undefined && { "content-type": "application/json" }),
			...(token !== undefined && { authorization: `Bearer ${token}` }),
		},
		...(body !== undefined && { body }),
		cache: "no-store",
		credentials: "omit",
		redirect: "manual",
		signal: AbortSignal.timeout(TIMEOUT_MS),
	}).catch((error: unknown) => {
		throw new ApiError(0, "network.unreachable", String(error));
	});
}

async function callResponse(response: Response, tookMs: number): Promise<CallResponse> {
	const raw = await response.text();
	const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && raw !== "";
	const text = isJson ? JSON.stringify(JSON.parse(raw), null, 2) : raw;
	return {
		status: response.status,
		tookMs: Math.round(tookMs),
		text: text.slice(0, SHOWN_MAX),
		isCut: text.length > SHOWN_MAX,
		headers: [...response.headers],
	};
}
