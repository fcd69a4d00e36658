// The error that API calls throw, from the API's problem document (RFC 9457).

import type { Schemas } from "./routes.ts";

export type ErrorCode = Schemas["Problem"]["code"];
/** What is wrong with one field of the body or the query. */
export type ErrorDetail = Schemas["Problem"]["errors"][number];
/** Why a field was refused. */
export type FieldReason = ErrorDetail["code"];

/** The code of a response that is not from the API. */
export const UNREADABLE = "answer.unreadable";

export class ApiError extends Error {
	override readonly name = "ApiError";
	/** 0: no response arrived; the service may still have processed the request. */
	readonly status: number;
	/** Stable, such as `email.taken`; `network.unreachable` if no response arrived. */
	readonly code: string;
	readonly details: readonly ErrorDetail[];
	/** Of 429 and 503. */
	readonly retryAfterSeconds: number | undefined;
	readonly requestId: string | undefined;
	/** The API's text, if `message` is translated. */
	readonly apiText: string | undefined;

	constructor(
		status: number,
		code: string,
		message: string,
		more: {
			readonly details?: readonly ErrorDetail[];
			readonly retryAfterSeconds?: number | undefined;
			readonly requestId?: string | undefined;
			readonly apiText?: string | undefined;
		} = {},
	) {
		super(message);
		this.status = status;
		this.code = code;
		this.details = more.details ?? [];
		this.retryAfterSeconds = more.retryAfterSeconds;
		this.requestId = more.requestId;
		this.apiText = more.apiText;
	}
}

export async function errorOf(response: Response): Promise<ApiError> {
	const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
	const more = {
		retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
		requestId: response.headers.get("x-request-id") ?? undefined,
	};
	try {
		const problem = await response.json();
		const text = problem.detail ?? problem.title;
		if (typeof problem.code === "string" && typeof text === "string")
			return new ApiError(response.status, problem.code, text, {
				...more,
				details: problem.errors ?? [],
			});
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	// A proxy returned its own page or JSON.
	return new ApiError(response.status, UNREADABLE, `HTTP ${response.status}`, more);
}
