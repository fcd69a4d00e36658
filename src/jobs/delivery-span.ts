// Traces and times deliveries.

import { performance } from "node:perf_hooks";
import type { ClaimedMail } from "../domain/mail.ts";
import type { AttemptOutcome } from "../features/record/webhooks/settle-delivery.ts";
import type { SpanAttributes, Tracing } from "../kernel/tracing.ts";
import type { MailOutcome } from "./mail-attempt.ts";

/**
 * Runs one attempt in its own trace, since no request waits for it. The attributes omit the email address and the error
 * message.
 */
export function inMailSpan(
	tracing: Tracing | undefined,
	{ id, message, attempts }: ClaimedMail,
	attempt: () => Promise<MailOutcome>,
): Promise<MailOutcome> {
	if (tracing === undefined) return attempt();
	return tracing.inTask("mail delivery", attempt, ({ kind }) => ({
		attributes: {
			"latchkey.mail_id": id,
			"latchkey.template": message.kind,
			"latchkey.attempts": attempts,
			"latchkey.state": kind,
			"error.type": kind === "sent" ? undefined : kind,
		},
		isFailed: kind !== "sent",
	}));
}

/** Like `inMailSpan`, for an attempt over HTTP. */
export function inAttemptSpan<Outcome extends AttemptOutcome>(
	tracing: Tracing | undefined,
	name: string,
	attributes: SpanAttributes,
	attempt: () => Promise<Outcome>,
): Promise<Outcome> {
	if (tracing === undefined) return attempt();
	return tracing.inTask(name, attempt, ({ statusCode, error }) => ({
		attributes: {
			...attributes,
			"http.response.status_code": statusCode ?? undefined,
			"error.type": error === "" ? undefined : (statusCode ?? "no_answer"),
		},
		isFailed: error !== "",
	}));
}

/** Milliseconds since `startMs` (of `performance.now`), rounded to a tenth, for log lines. */
export function elapsedMs(startMs: number): number {
	return Math.round((performance.now() - startMs) * 10) / 10;
}
