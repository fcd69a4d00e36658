// One attempt to deliver one mail, and its outcome.

import type { Brand } from "../domain/brand.ts";
import type { ClaimedMail } from "../domain/mail.ts";
import { MailDeliveryError, type MailTransport } from "../domain/mail-transport.ts";
import { mailExpiryMs, retryDelayMs } from "../features/record/mail/mail-schedule.ts";
import { type RenderOptions, renderMail, renderOptions } from "../features/record/mail/render.ts";
import type { Clock } from "../kernel/clock.ts";
import { withoutHidden } from "../kernel/shown-text.ts";
import type { HandoverStep, MailLease } from "./mail-hold.ts";
import type { TransportWatch } from "./mail-transport-watch.ts";

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

/** The lease and the handover step of one delivery. */
export interface MailHold {
	readonly lease: Pick<MailLease, "lost" | "confirm">;
	readonly step: HandoverStep;
}

/**
 * `failed`: `keepsContent` unless sending it again would be useless. `postponed`: due again at once, without counting
 * the attempt. `lost`: another process has or may have the mail.
 * `error` is one line of at most 500 characters.
 */
export type MailOutcome =
	| { readonly kind: "sent" }
	| { readonly kind: "failed"; readonly error: string; readonly keepsContent: boolean }
	| { readonly kind: "retry"; readonly delayMs: number; readonly error: string }
	| { readonly kind: "postponed"; readonly error: string }
	| { readonly kind: "lost"; readonly error: string };

/** Never rejects. Notifies `options.watch` when the transport is unreachable. */
export async function attemptMail(
	mail: ClaimedMail,
	{ lease, step }: MailHold,
	options: MailAttemptOptions,
): Promise<MailOutcome> {
	let rendered: ReturnType<typeof renderMail>;
	let render: RenderOptions;
	try {
		render = await renderOptionsOf(mail, options);
	} catch (error) {
		return { kind: "postponed", error: lineOf(error) };
	}
	try {
		const expiryMs = mailExpiryMs(mail);
		if (expiryMs !== undefined && options.clock() >= expiryMs) {
			return { kind: "failed", error: "expired before it could be delivered", keepsContent: false };
		}
		rendered = renderMail(mail, render);
	} catch (error) {
		return { kind: "failed", error: lineOf(`cannot be rendered: ${lineOf(error)}`), keepsContent: true };
	}
	try {
		const deadline = AbortSignal.timeout(options.timeoutMs);
		const signal = AbortSignal.any([deadline, options.abortSignal, lease.lost]);
		await options.transport.send(rendered, signal, async () => {
			await step.enter(signal);
			await lease.confirm();
		});
		return { kind: "sent" };
	} catch (error) {
		if (lease.lost.aborted) return { kind: "lost", error: lineOf(lease.lost.reason) };
		return await classify(mail, error, options);
	}
}

async function renderOptionsOf(
	{ tenantId }: ClaimedMail,
	{ render, brandOf }: MailAttemptOptions,
): Promise<RenderOptions> {
	return brandOf === undefined ? render : renderOptions(render, await brandOf(tenantId));
}

async function classify(
	mail: ClaimedMail,
	cause: unknown,
	options: MailAttemptOptions,
): Promise<MailOutcome> {
	const error = lineOf(cause);
	if (options.abortSignal.aborted) return { kind: "postponed", error: "interrupted by a stop" };
	const fault = cause instanceof MailDeliveryError ? cause.fault : "mail";
	if (fault === "transport" || (fault === "unclear" && !(await options.watch.isUp()))) {
		options.watch.noteAway(withoutAddress(error, mail.to));
		return { kind: "postponed", error };
	}
	const failed = { kind: "failed", error, keepsContent: true } as const;
	if (cause instanceof MailDeliveryError && cause.permanent) return failed;
	const delayMs = retryDelayMs(mail.attempts - mail.earlierAttempts, options.random);
	return delayMs === undefined ? failed : { kind: "retry", delayMs, error };
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
