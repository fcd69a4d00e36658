// Calls the API: typed by the OpenAPI document, with the session's access token.

import { ApiError } from "./error.ts";
import { send } from "./request.ts";
import type { CallOptions, ResponseOf, Route } from "./routes.ts";
import { renewSession, session, signInAgain } from "./session.ts";

interface AnyOptions {
	readonly path?: Readonly<Record<string, unknown>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly body?: unknown;
	readonly signal?: AbortSignal;
	readonly isFile?: boolean;
}

/** Codes of a 401 that a new access token or sign-in resolves; other 401 codes concern the input. */
const TOKEN_CODES = ["token.invalid", "token.missing", "token.expired", "session.too_old"];

/** `ask` rejects if the user cancels the call; undefined: nothing to ask. */
export const beforeCalls: {
	ask?: ((route: string, input: Pick<AnyOptions, "path" | "body">) => Promise<void> | undefined) | undefined;
} = {};

/**
 * Calls a route such as `GET /users/{id}` and returns the response body. Renews an expired access token once; if the session
 * has ended, a dialog asks the user to sign in again, then repeats the call.
 *
 * @throws ApiError
 */
export async function call<R extends Route>(
	route: R,
	...[options]: Record<never, never> extends CallOptions<R> ? [CallOptions<R>?] : [CallOptions<R>]
): Promise<ResponseOf<R>> {
	return (await sendAs(route, (options ?? {}) as AnyOptions)) as ResponseOf<R>;
}

/** Like `call`, but returns the response as a file. */
export async function callFile<R extends Route>(route: R, options: CallOptions<R>): Promise<Blob> {
	return (await sendAs(route, { ...(options as AnyOptions), isFile: true })) as Blob;
}

async function sendAs(route: string, input: AnyOptions): Promise<unknown> {
	const [method = "GET", template = "/"] = route.split(" ");
	await beforeCalls.ask?.(route, input);
	const target = addressOf(template, input);
	for (let attempt = 0; ; attempt++) {
		const { accessToken } = session.value;
		try {
			return await send(method, target, { ...input, accessToken });
		} catch (error) {
			if (accessToken === undefined || attempt === 2 || !isTokenRefused(error)) throw error;
			const isRenewed = attempt === 0 && (await renewSession(accessToken));
			if (!isRenewed) await signInAgain();
		}
	}
}

function isTokenRefused(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401 && TOKEN_CODES.includes(error.code);
}

/** API paths are below `/api/v1`, except those that include their own prefix. */
function addressOf(template: string, { path = {}, query = {} }: AnyOptions): string {
	const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])));
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query))
		if (value !== undefined && value !== "") search.set(name, String(value));
	const prefix = /^\/(?:health|openapi\.json|access\/v1\/)/.test(template) ? "" : "/api/v1";
	return `${prefix}${filled}${search.size === 0 ? "" : `?${search}`}`;
}
