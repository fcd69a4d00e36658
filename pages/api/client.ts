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

/** The versions of the records that a page shows. */
export interface KeptVersions {
	of(target: string): string | undefined;
	/** After each response. */
	note(method: string, target: string, etag: string | null): void;
	/** Resolves when the change is to be made to the record as it is now; rejects if the user cancels it. */
	ask(change: Conflict): Promise<void>;
}

/** A change of a record that changed since the page read it. */
export interface Conflict {
	readonly method: string;
	readonly template: string;
	readonly target: string;
	readonly input: Pick<AnyOptions, "path" | "body">;
}

/** Set by the console: its changes depend on the versions that it shows. */
export const versions: { kept?: KeptVersions } = {};

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
	const { kept } = versions;
	for (let attempt = 0; ; attempt++) {
		const { accessToken } = session.value;
		try {
			return await send(method, target, {
				...input,
				accessToken,
				ifMatch: method === "GET" ? undefined : kept?.of(target),
				onVersion: (etag) => kept?.note(method, target, etag),
			});
		} catch (error) {
			if (kept !== undefined && error instanceof ApiError && error.code === "version.changed") {
				await kept.ask({ method, template, target, input });
				continue;
			}
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
