// What is measured of every request.

/** Told of each answer and refusal; `milliseconds` from the first byte of the request to the last of the answer. */
export interface RequestMeter {
	/** `route` is the path as the map has it, never the path as sent: labels must stay few. */
	observe(method: string, route: string, status: number, milliseconds: number): void;
	/** A rate limit refused a request: the service's, or that of one route. */
	refuse(scope: "service" | "route"): void;
}
