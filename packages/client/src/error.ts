// A refusal of the service.

/** Problem details (RFC 9457), as far as the response contains them. */
export interface Problem {
	readonly code?: string;
	readonly detail?: string;
	readonly request_id?: string;
	readonly type?: string;
}

export class LatchkeyError extends Error {
	override readonly name = "LatchkeyError";
	declare readonly status: number;
	/** Stable, such as `signature.invalid`. Empty if the response is not from the service, but from a proxy. */
	declare readonly code: string;
	/** The id by which the operator finds the request in the log. */
	declare readonly requestId: string;
	/** The URL that explains the code. */
	declare readonly docs: string;

	constructor(status: number, { detail, code = "", request_id = "", type = "" }: Problem = {}) {
		super(detail ?? `HTTP ${status}`);
		Object.assign(this, { status, code, requestId: request_id, docs: type });
	}
}
