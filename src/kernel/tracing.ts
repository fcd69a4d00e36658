// The tracing port of the web toolkit, the platform, and the jobs. Undefined if no traces are sent.

/**
 * Every attribute of a span. Attributes of Latchkey have the names of log fields. None contains personal data: no path,
 * query, address, or name, and no user id.
 */
export const SPAN_ATTRIBUTES = [
	"http.request.method",
	"http.route",
	"http.response.status_code",
	"url.scheme",
	"error.type",
	"db.system.name",
	"latchkey.request_id",
	"latchkey.code",
	"latchkey.reason",
	"latchkey.mail_id",
	"latchkey.template",
	"latchkey.state",
	"latchkey.attempts",
	"latchkey.webhook_id",
	"latchkey.delivery_id",
	"latchkey.client_id",
] as const;

export type SpanAttributes = {
	readonly [Name in (typeof SPAN_ATTRIBUTES)[number]]?: string | number | undefined;
};

export interface SpanOutcome {
	readonly attributes: SpanAttributes;
	readonly isFailed: boolean;
}

export interface ServerSpan {
	/** Runs `work` and what it starts inside the span, until the span ends. */
	run(work: () => void): void;
	/** Later calls have no effect. */
	end(name: string, outcome: SpanOutcome): void;
}

export interface Tracing {
	/** `traceparent` (W3C Trace Context) of a caller that may specify the parent; malformed text counts as absent. */
	openServerSpan(traceparent: string | undefined): ServerSpan;
	/**
	 * Runs `work` in a child of the span that is open; without one, only runs it. A rejection marks the span as failed.
	 */
	inChild<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
	/** Runs `work` in its own trace. A rejection marks the span as failed. */
	inTask<T>(name: string, work: () => Promise<T>, outcomeOf: (result: T) => SpanOutcome): Promise<T>;
}
