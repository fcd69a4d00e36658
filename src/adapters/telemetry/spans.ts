// Implements the tracing port with the spans of OpenTelemetry.

import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";
import {
	type Context,
	ROOT_CONTEXT,
	type Span,
	SpanKind,
	SpanStatusCode,
	type Tracer,
	trace,
} from "@opentelemetry/api";
import { AppError } from "../../kernel/error.ts";
import type { SpanOutcome, Tracing } from "../../kernel/tracing.ts";

/** The open span of a request or task; work that outlives it opens no children. */
interface Scope {
	readonly context: Context;
	isOpen: boolean;
}

/** Keeps the current span in its own storage: nothing is registered globally, and no module is patched. */
export function createTracing(tracer: Tracer): Tracing {
	const current = new AsyncLocalStorage<Scope>();
	const open = (name: string, kind: SpanKind, parent: Context) => {
		const span = tracer.startSpan(name, { kind }, parent);
		const scope: Scope = { context: trace.setSpan(parent, span), isOpen: true };
		return { span, scope };
	};

	async function inSpan<T>(
		{ span, scope }: { readonly span: Span; readonly scope: Scope },
		work: () => Promise<T>,
		outcomeOf: (result: T) => SpanOutcome,
	): Promise<T> {
		try {
			const result = await current.run(scope, work);
			finish(span, outcomeOf(result));
			return result;
		} catch (error) {
			finish(span, { attributes: { "error.type": typeOf(error) }, isFailed: true });
			throw error;
		} finally {
			scope.isOpen = false;
			span.end();
		}
	}

	return {
		openServerSpan(traceparent) {
			const remote = parseTraceparent(traceparent);
			const parent = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
			const { span, scope } = open("request", SpanKind.SERVER, parent);
			return {
				run: (work) => current.run(scope, work),
				end(name, outcome) {
					if (!scope.isOpen) return;
					scope.isOpen = false;
					span.updateName(name);
					finish(span, outcome);
					span.end();
				},
			};
		},
		inChild(name, attributes, work) {
			const scope = current.getStore();
			if (scope?.isOpen !== true) return work();
			const kind = attributes["db.system.name"] === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT;
			return inSpan(open(name, kind, scope.context), work, () => ({ attributes, isFailed: false }));
		},
		inTask: (name, work, outcomeOf) => inSpan(open(name, SpanKind.CLIENT, ROOT_CONTEXT), work, outcomeOf),
	};
}

function finish(span: Span, { attributes, isFailed }: SpanOutcome): void {
	for (const [name, value] of Object.entries(attributes))
		if (value !== undefined) span.setAttribute(name, value);
	if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Never the message, which may quote user input. */
function typeOf(error: unknown): string {
	if (error instanceof AppError) return error.code;
	return error instanceof Error ? error.name : "error";
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** Parses the W3C Trace Context header. Only version 00: the flags of later versions are unknown, so not trusted. */
function parseTraceparent(text: string | undefined): SpanContext | undefined {
	const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? "") ?? [];
	if (traceId === undefined || spanId === undefined) return undefined;
	return { traceId, spanId, traceFlags: Number.parseInt(flags ?? "", 16) & SAMPLED, isRemote: true };
}
