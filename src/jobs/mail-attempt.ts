// The life of one mail, and one attempt to deliver it.

import type { Brand } from "../domain/brand.ts";
import type { ClaimedMail, MailQueue } from "../domain/mail.ts";
import { MailDeliveryError, type MailTransport, type RenderedMail } from "../domain/mail-transport.ts";
import { mailExpiryMs, retryDelayMs } from "../features/record/mail/mail-schedule.ts";
import { type RenderOptions, renderMail, renderOptions } from "../features/record/mail/render.ts";
import type { Clock } from "../kernel/clock.ts";
import { withoutHidden } from "../kernel/shown-text.ts";
import type { HandoverStep, MailLease } from "./mail-hold.ts";
import type { TransportWatch } from "./mail-transport-watch.ts";

/** What becomes of a mail, and how that is stored and logged. */
interface Ending {
	readonly kind: "sent" | "retry" | "failed" | "postponed" | "lost";
	readonly store?: (queue: MailQueue, id: string, nowMs: number, outcome: MailOutcome) => Promise<void>;
	readonly line?: readonly [level: "info" | "warn", message: string, state?: "sent" | "waiting" | "failed"];
}

/** `error`: one line of at most 500 characters. */
export interface MailOutcome extends Ending {
	readonly error?: string;
	readonly retryInMs?: number;
}

const SENT: Ending = {
	kind: "sent",
	store: (queue, id, nowMs) => queue.markSent(id, nowMs),
	line: ["info", "mail sent", "sent"],
};
const RETRY: Ending = {
	kind: "retry",
	store: (queue, id, nowMs, { retryInMs = 0, error = "" }) => queue.markRetry(id, nowMs + retryInMs, error),
	line: ["info", "mail not accepted, will be retried", "waiting"],
};
/** Sending it again is useless unless `keepsContent`. */
const failed = (keepsContent: boolean): Ending => ({
	kind: "failed",
	store: (queue, id, nowMs, { error = "" }) => queue.markFailed(id, nowMs, error, keepsContent),
	line: ["warn", "mail failed permanently", "failed"],
});
/** Due again at once, without counting the attempt. */
const POSTPONED: Ending = {
	kind: "postponed",
	store: (queue, id, nowMs, { error = "" }) => queue.postpone(id, nowMs, error),
};
/** Another process has or may have the mail. */
const LOST: Ending = { kind: "lost", line: ["warn", "mail left to another process"] };

/**
 * The ending of each event in each state. A due mail is `claimed` for one attempt, and `sending` while the transport has
 * it. If the process dies in either state, the mail is due again when its lease ends.
 */
const LIFE = {
	claimed: {
		brandUnreadable: POSTPONED,
		expired: failed(false),
		unrenderable: failed(true),
	},
	sending: {
		accepted: SENT,
		leaseLost: LOST,
		stopped: POSTPONED,
		transportAway: POSTPONED,
		refused: RETRY,
		refusedTooOften: failed(true),
		refusedForGood: failed(true),
	},
};

export interface MailAttemptOptions {
	readonly render: RenderOptions;
	/** The brand and sender of a tenant's mails; default: those of `render`. */
	readonly brandOf?: ((tenantId: string) => Promise<Brand>) | undefined;
	readonly transport: MailTransport;
	readonly watch: TransportWatch;
	readonly clock: Clock;
	/** Returns 0 ≤ x < 1. */
	readonly random: () => number;
	readonly timeoutMs: number;
	/** Aborted when the stop of the service cannot wait any longer. */
	readonly abortSignal: AbortSignal;
}

/** Never rejects. Notifies `options.watch` when the transport is unreachable. */
export async function attemptMail(
	mail: ClaimedMail,
	{ lease, step }: { readonly lease: MailLease; readonly step: HandoverStep },
	options: MailAttemptOptions,
): Promise<MailOutcome> {
	const { render, brandOf, transport, timeoutMs, abortSignal } = options;
	let branded: RenderOptions;
	try {
		branded = brandOf === undefined ? render : renderOptions(render, await brandOf(mail.tenantId));
	} catch (error) {
		return { ...LIFE.claimed.brandUnreadable, error: lineOf(error) };
	}
	let rendered: RenderedMail;
	try {
		if (options.clock() >= (mailExpiryMs(mail) ?? Number.POSITIVE_INFINITY))
			return { ...LIFE.claimed.expired, error: "expired before it could be delivered" };
		rendered = renderMail(mail, branded);
	} catch (error) {
		return { ...LIFE.claimed.unrenderable, error: lineOf(`cannot be rendered: ${lineOf(error)}`) };
	}
	try {
		const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), abortSignal, lease.lost]);
		await transport.send(rendered, signal, async () => {
			await step.enter(signal);
			await lease.confirm();
		});
		return LIFE.sending.accepted;
	} catch (error) {
		if (lease.lost.aborted) return { ...LIFE.sending.leaseLost, error: lineOf(lease.lost.reason) };
		return await classify(mail, error, options);
	}
}

async function classify(
	mail: ClaimedMail,
	cause: unknown,
	{ abortSignal, watch, random }: MailAttemptOptions,
): Promise<MailOutcome> {
	const error = lineOf(cause);
	if (abortSignal.aborted) return { ...LIFE.sending.stopped, error: "interrupted by a stop" };
	const { fault, permanent } =
		cause instanceof MailDeliveryError ? cause : { fault: "mail", permanent: false };
	if (fault === "transport" || (fault === "unclear" && !(await watch.isUp()))) {
		watch.noteAway(withoutAddress(error, mail.to));
		return { ...LIFE.sending.transportAway, error };
	}
	if (permanent) return { ...LIFE.sending.refusedForGood, error };
	const retryInMs = retryDelayMs(mail.attempts - mail.earlierAttempts, random);
	if (retryInMs === undefined) return { ...LIFE.sending.refusedTooOften, error };
	return { ...LIFE.sending.refused, error, retryInMs };
}

/** The error for the log: mail servers quote the address that they refuse. */
export function withoutAddress(error: string, address: string): string {
	return error.replace(new RegExp(address.replace(/\W/g, "\\$&"), "gi"), "***");
}

const ERROR_MAX_LENGTH = 500;

function lineOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return withoutHidden(text, "line", () => " ").slice(0, ERROR_MAX_LENGTH);
}
