// The port for request metrics.

import type { ErrorCode, RefusalReason } from "../kernel/error.ts";

/** Receives each answer and refusal; `milliseconds` from the first byte of the request to the last of the answer. */
export interface RequestMeter {
	/** `route` is the path as in the route map, never as sent: labels must stay few. */
	observe(method: string, route: string, status: number, milliseconds: number): void;
	/** Records an error answer; both labels come from closed lists. */
	fail(code: ErrorCode, reason: RefusalReason | undefined): void;
	/** Records a refusal by the rate limit of the service or of one route. */
	refuse(scope: "service" | "route"): void;
	/** Records a client that disconnected before the end of its answer. */
	abandon(): void;
}
