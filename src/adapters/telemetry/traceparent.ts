// Parses the W3C Trace Context header `traceparent`.

import type { SpanContext } from "@opentelemetry/api";

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** Version 00 only, otherwise undefined. The flags of later versions are unknown, and so not trusted. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
	const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? "") ?? [];
	if (traceId === undefined || spanId === undefined) return undefined;
	return { traceId, spanId, traceFlags: Number.parseInt(flags ?? "", 16) & SAMPLED, isRemote: true };
}
