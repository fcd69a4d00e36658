// The messages of OTLP 1.x that carry traces and metrics, by field number (opentelemetry-proto).

import type { Fields } from "./protobuf.ts";

const ANY_VALUE: Fields = () => ({
	1: ["stringValue", "string"],
	2: ["boolValue", "bool"],
	3: ["intValue", "int64"],
	4: ["doubleValue", "double"],
	5: ["arrayValue", { 1: ["values[]", ANY_VALUE] }],
	6: ["kvlistValue", { 1: ["values[]", KEY_VALUE] }],
	7: ["bytesValue", "bytes"],
});
const KEY_VALUE: Fields = { 1: ["key", "string"], 2: ["value", ANY_VALUE] };
const RESOURCE: Fields = { 1: ["attributes[]", KEY_VALUE], 2: ["droppedAttributesCount", "uint32"] };
const SCOPE: Fields = {
	1: ["name", "string"],
	2: ["version", "string"],
	3: ["attributes[]", KEY_VALUE],
	4: ["droppedAttributesCount", "uint32"],
};
const EVENT: Fields = {
	1: ["timeUnixNano", "fixed64"],
	2: ["name", "string"],
	3: ["attributes[]", KEY_VALUE],
	4: ["droppedAttributesCount", "uint32"],
};
const SPAN: Fields = {
	1: ["traceId", "bytes"],
	2: ["spanId", "bytes"],
	3: ["traceState", "string"],
	4: ["parentSpanId", "bytes"],
	5: ["name", "string"],
	6: ["kind", "enum"],
	7: ["startTimeUnixNano", "fixed64"],
	8: ["endTimeUnixNano", "fixed64"],
	9: ["attributes[]", KEY_VALUE],
	10: ["droppedAttributesCount", "uint32"],
	11: ["events[]", EVENT],
	12: ["droppedEventsCount", "uint32"],
	14: ["droppedLinksCount", "uint32"],
	15: ["status", { 2: ["message", "string"], 3: ["code", "enum"] }],
	16: ["flags", "fixed32"],
};

/** ExportTraceServiceRequest. */
export const TRACES: Fields = {
	1: [
		"resourceSpans[]",
		{
			1: ["resource", RESOURCE],
			2: ["scopeSpans[]", { 1: ["scope", SCOPE], 2: ["spans[]", SPAN], 3: ["schemaUrl", "string"] }],
			3: ["schemaUrl", "string"],
		},
	],
};

const NUMBER_POINT: Fields = {
	2: ["startTimeUnixNano", "fixed64"],
	3: ["timeUnixNano", "fixed64"],
	4: ["asDouble", "double"],
	6: ["asInt", "sfixed64"],
	7: ["attributes[]", KEY_VALUE],
	8: ["flags", "uint32"],
};
const HISTOGRAM_POINT: Fields = {
	2: ["startTimeUnixNano", "fixed64"],
	3: ["timeUnixNano", "fixed64"],
	4: ["count", "fixed64"],
	5: ["sum", "double"],
	6: ["bucketCounts[]", "fixed64"],
	7: ["explicitBounds[]", "double"],
	9: ["attributes[]", KEY_VALUE],
	10: ["flags", "uint32"],
};
const METRIC: Fields = {
	1: ["name", "string"],
	2: ["description", "string"],
	3: ["unit", "string"],
	5: ["gauge", { 1: ["dataPoints[]", NUMBER_POINT] }],
	7: [
		"sum",
		{ 1: ["dataPoints[]", NUMBER_POINT], 2: ["aggregationTemporality", "enum"], 3: ["isMonotonic", "bool"] },
	],
	9: ["histogram", { 1: ["dataPoints[]", HISTOGRAM_POINT], 2: ["aggregationTemporality", "enum"] }],
};

/** ExportMetricsServiceRequest. */
export const METRICS: Fields = {
	1: [
		"resourceMetrics[]",
		{
			1: ["resource", RESOURCE],
			2: ["scopeMetrics[]", { 1: ["scope", SCOPE], 2: ["metrics[]", METRIC], 3: ["schemaUrl", "string"] }],
			3: ["schemaUrl", "string"],
		},
	],
};
