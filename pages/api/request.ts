// Sends one request, without a session.

import { language } from "../words/language.ts";
import { findWords, loadWords } from "../words/words.ts";
import { ApiError, errorOf, UNREADABLE } from "./error.ts";

const TIMEOUT_MS = 20_000;

interface RequestOptions {
	/** A `Blob` is sent as it is, under its own media type. */
	readonly body?: unknown;
	readonly signal?: AbortSignal;
	readonly accessToken?: string | undefined;
	/** Default: the tenant of `setTenant`. An access token takes precedence. */
	readonly tenantId?: string | undefined;
	/** Returns a `Blob`, without a time limit. */
	readonly isFile?: boolean;
	/** The request continues when the user leaves the page. */
	readonly keepalive?: boolean;
}

/** Firefox ends the open calls of a page that the user leaves; their errors would only fill the console. */
let isLeaving = false;
globalThis.onpagehide = globalThis.onpageshow = ({ type }) => {
	isLeaving = type === "pagehide";
};

/** Sends requests. The console replaces it, because its changes depend on the versions of records. */
export const transport = { fetch: fetch.bind(globalThis) };

let chosenTenantId: string | undefined;

/** The tenant of calls before sign-in; undefined: the default tenant. */
export function setTenant(id: string | undefined): void {
	chosenTenantId = id;
}

/**
 * Returns the parsed body, or the `Blob` of a file; undefined if there is no body.
 *
 * @throws ApiError; `network.unreachable` if no response arrived. An abort by `signal` throws its reason.
 */
export async function send(method: string, target: string, options: RequestOptions = {}): Promise<unknown> {
	const { body, signal, accessToken, tenantId = chosenTenantId, isFile = false, keepalive = false } = options;
	const isFileBody = body instanceof Blob;
	const limits = [
		...(isFile ? [] : [AbortSignal.timeout(TIMEOUT_MS)]),
		...(signal === undefined ? [] : [signal]),
	];
	const lost = (error: unknown): Promise<never> => {
		if (signal?.aborted === true) throw signal.reason;
		if (isLeaving) return new Promise(() => undefined);
		throw new ApiError(0, "network.unreachable", findWords("ui")?.unreachable ?? String(error));
	};
	const response = await transport
		.fetch(target, {
			method,
			headers: {
				accept: `${isFile ? "*/*" : "application/json"}, application/problem+json;q=0.9`,
				"accept-language": document.documentElement.lang,
				"x-session": "cookie",
				...(body !== undefined && { "content-type": isFileBody ? body.type : "application/json" }),
				...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
				...(accessToken === undefined && tenantId !== undefined && { "x-tenant-id": tenantId }),
			},
			...(body !== undefined && { body: isFileBody ? body : JSON.stringify(body) }),
			cache: "no-store",
			keepalive,
			redirect: "error",
			signal: AbortSignal.any(limits),
		})
		.catch(lost);
	if (!response.ok) throw await inReadersLanguage(await errorOf(response));
	if (isFile) return response.blob().catch(lost);
	const text = await response.text();
	return text === "" ? undefined : JSON.parse(text);
}

/** Handled by the session, never shown. */
const TOKEN_CODE = /^(?:refresh_)?token\./;

/** Errors that the API explains to programs, or that do not come from it. */
function ownText({ code, status }: ApiError): string | undefined {
	if (code === UNREADABLE) return findWords("ui")?.noAnswer(status);
	return code === "request.too_many" ? findWords("ui")?.tooManyRequests : undefined;
}

/** Loads the words with the first error. If loading fails, the API's text is shown. */
async function inReadersLanguage(error: ApiError): Promise<ApiError> {
	const own = ownText(error);
	if (own !== undefined) return new ApiError(error.status, error.code, own, error);
	if (language.value === "en" || TOKEN_CODE.test(error.code)) return error;
	await loadWords(["api-errors"]).catch(reportError);
	const words = findWords("api-errors");
	if (words === undefined) return error;
	const details = error.details.map((detail) => ({ ...detail, message: words.fieldTextOf(detail) }));
	const text = words.textOf(error.code);
	return new ApiError(error.status, error.code, text ?? error.message, {
		...error,
		details,
		apiText: text === undefined ? undefined : error.message,
	});
}
