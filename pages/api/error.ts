// What a refused or failed call throws: the API's problem document (RFC 9457) as one error type.

export interface ErrorDetail {
	/** Name of the field in the body or the query, such as `email` or `redirect_uris[0]`. */
	readonly field: string;
	readonly message: string;
}

export class ApiError extends Error {
	override readonly name = "ApiError";
	/** 0: no answer arrived, and the service may have done what was asked. */
	readonly status: number;
	/** Stable, such as `email.taken`; `network.unreachable` when no answer arrived. */
	readonly code: string;
	readonly details: readonly ErrorDetail[];
	/** Of 429 and 503. */
	readonly retryAfterSeconds: number | undefined;
	readonly requestId: string | undefined;
	/** The API's own text, where `message` is in another language. */
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
		return new ApiError(response.status, problem.code, problem.detail ?? problem.title, {
			...more,
			details: problem.errors ?? [],
		});
	} catch {
		// A proxy in between answered with a page of its own.
		return new ApiError(response.status, "answer.unreadable", `HTTP ${response.status}`, more);
	}
}
