// Traces and times deliveries.

import { performance } from "node:perf_hooks";
import type { ClaimedLogoutNotice } from "../domain/logout-notice.ts";
import type { ClaimedMail } from "../domain/mail.ts";
import type { ClaimedWebhookDelivery } from "../domain/webhook-delivery.ts";
import type { AttemptOutcome } from "../features/record/webhooks/settle-delivery.ts";
import type { Tracing } from "../kernel/tracing.ts";
import type { MailOutcome } from "./mail-attempt.ts";

/**
 * One attempt, in a trace of its own: no request waits for it. The address and the text of an error are no attributes.
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

/** Like `inMailSpan`; attributes omit the webhook's URL. */
export function inWebhookSpan(
	tracing: Tracing | undefined,
	{ id, attempts }: ClaimedWebhookDelivery,
	webhookId: string,
	attempt: () => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
	if (tracing === undefined) return attempt();
	return tracing.inTask("webhook delivery", attempt, (outcome) => ({
		attributes: {
			"latchkey.webhook_id": webhookId,
			"latchkey.delivery_id": id,
			"latchkey.attempts": attempts,
			...answerOf(outcome),
		},
		isFailed: outcome.error !== "",
	}));
}

/** Like `inMailSpan`; attributes omit the session and the user. */
export function inLogoutSpan(
	tracing: Tracing | undefined,
	{ clientId, attempts }: ClaimedLogoutNotice,
	attempt: () => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
	if (tracing === undefined) return attempt();
	return tracing.inTask("logout notice", attempt, (outcome) => ({
		attributes: {
			"latchkey.client_id": clientId,
			"latchkey.attempts": attempts,
			...answerOf(outcome),
		},
		isFailed: outcome.error !== "",
	}));
}

function answerOf({ statusCode, error }: AttemptOutcome) {
	return {
		"http.response.status_code": statusCode ?? undefined,
		"error.type": error === "" ? undefined : (statusCode ?? "no_answer"),
	};
}

/** Milliseconds since `startMs` (of `performance.now`), rounded to a tenth, for log lines. */
export function elapsedMs(startMs: number): number {
	return Math.round((performance.now() - startMs) * 10) / 10;
}
