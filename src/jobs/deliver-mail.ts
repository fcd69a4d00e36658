// Delivers the mails of the outbox: each at least once, none delayed by another's bad recipient.

import type { Brand } from "../domain/brand.ts";
import { type ClaimedMail, MAIL_LEASE_MS, type MailQueue } from "../domain/mail.ts";
import { MAIL_UNDER_WAY_MAX, type MailTransport } from "../domain/mail-transport.ts";
import type { EventCounter } from "../domain/statistics.ts";
import type { RenderOptions } from "../features/record/mail/render.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { DeliveryLoop } from "./delivery-loop.ts";
import { elapsedMs, inMailSpan } from "./delivery-span.ts";
import { attemptMail, type MailAttemptOptions, type MailOutcome, withoutAddress } from "./mail-attempt.ts";
import {
	createHandover,
	createSlots,
	HANDOVERS_MAX,
	type Handover,
	MailLease,
	type Slots,
} from "./mail-hold.ts";
import { TransportWatch } from "./mail-transport-watch.ts";

export interface MailDeliveryOptions extends RenderOptions {
	readonly queue: MailQueue;
	readonly transport: MailTransport;
	/** Default: the sender and brand of the options. */
	readonly brandOf?: (tenantId: string) => Promise<Brand>;
	readonly clock: Clock;
	readonly log: Log;
	readonly statistics: EventCounter;
	/** Undefined if no traces are sent. */
	readonly tracing?: Tracing | undefined;
	/** The number of concurrent deliveries, not counting slow ones. Default 8. */
	readonly parallel?: number;
	/** After this, a delivery counts as slow and another mail takes its place. Default 3 s. */
	readonly slowAfterMs?: number;
	/** How long an outcome waits until the outcomes of other deliveries can share its commit. Default 50 ms. */
	readonly groupMs?: number;
	/** The time limit of one attempt. Default 40 s. */
	readonly attemptTimeoutMs?: number;
	/** How often to look for mail without a `wake`: from other nodes, and due retries. Default 2 s. */
	readonly pollMs?: number;
	/** First and longest delay before an unreachable transport is tried again. Default 1 s and 15 s. */
	readonly transportRetryMs?: { readonly first: number; readonly longest: number };
	/** How long `stop` waits for deliveries before it aborts them. Default 8 s. */
	readonly stopGraceMs?: number;
	/** Returns 0 ≤ x < 1. */
	readonly random?: () => number;
}

/** Counts since the start, and the current state. */
export interface MailDeliveryStats {
	readonly sent: number;
	readonly retried: number;
	readonly failed: number;
	readonly underWay: number;
	/** Whether the transport is considered unreachable; mails wait in the meantime. */
	readonly isTransportAway: boolean;
}

/** The delay before retrying to record an outcome. */
const RECORD_RETRY_MS = 500;

export class MailDelivery {
	readonly #options: MailDeliveryOptions;
	readonly #loop: DeliveryLoop;
	readonly #slots: Slots;
	readonly #handover: Handover;
	readonly #watch: TransportWatch;
	readonly #attempt: MailAttemptOptions;
	readonly #counts = { sent: 0, retry: 0, failed: 0, postponed: 0, lost: 0 };

	constructor(options: MailDeliveryOptions) {
		const { queue, transport, clock, log, slowAfterMs = 3_000, random = Math.random } = options;
		const wake = (): void => this.wake();
		this.#options = options;
		this.#loop = new DeliveryLoop({
			clock,
			log,
			pollMs: options.pollMs ?? 2_000,
			stopGraceMs: options.stopGraceMs ?? 8_000,
			failure: "cannot read the mail outbox",
			claimDue: () => this.#claimDue(),
			nextDueAtMs: async () => (this.#hasRoom() ? queue.nextDueAtMs() : undefined),
		});
		const quick = options.parallel ?? 2 * HANDOVERS_MAX;
		this.#slots = createSlots({ quick, all: MAIL_UNDER_WAY_MAX }, slowAfterMs, wake);
		this.#handover = createHandover(slowAfterMs, HANDOVERS_MAX, options.groupMs);
		const retryMs = options.transportRetryMs ?? { first: 1_000, longest: 15_000 };
		this.#watch = new TransportWatch({ transport, log, retryMs, random, onBack: wake });
		this.#attempt = {
			render: options,
			brandOf: options.brandOf,
			transport,
			watch: this.#watch,
			clock,
			random,
			timeoutMs: options.attemptTimeoutMs ?? 40_000,
			abortSignal: this.#loop.abortSignal,
		};
	}

	get stats(): MailDeliveryStats {
		const { sent, retry: retried, failed } = this.#counts;
		return { sent, retried, failed, underWay: this.#slots.taken, isTransportAway: this.#watch.isAway };
	}

	/** Call after committing a mail. Cheap, never throws, and does nothing before `start`. */
	wake(): void {
		this.#loop.wake();
	}

	/** Call once, before `stop`. */
	start(): void {
		this.#loop.start();
	}

	/** Claims no more mail. Resolves when all deliveries have ended or were aborted; aborted mails are due immediately. */
	async stop(): Promise<void> {
		this.#watch.stop();
		await this.#loop.stop();
	}

	#hasRoom(): boolean {
		return this.#slots.free > 0 && !this.#watch.isAway;
	}

	async #claimDue(): Promise<void> {
		// The outcomes of a group are recorded in this turn: claim for all their slots at once.
		await Promise.resolve();
		if (!this.#hasRoom()) return;
		const { queue, clock } = this.#options;
		const claimedAtMs = clock();
		for (const mail of await queue.claimDue(claimedAtMs, this.#slots.free, MAIL_LEASE_MS))
			this.#loop.deliver(this.#deliver(mail, new MailLease(mail, claimedAtMs, queue, clock)));
	}

	async #deliver(mail: ClaimedMail, lease: MailLease): Promise<void> {
		let leave = this.#slots.take();
		const step = this.#handover.step();
		const startMs = performance.now();
		try {
			const outcome = await inMailSpan(this.#options.tracing, mail, () =>
				attemptMail(mail, { lease, step }, this.#attempt),
			);
			const ms = elapsedMs(startMs);
			await step.answered();
			if (outcome.kind === "sent") this.#watch.noteWorks();
			const recorded = this.#record(mail, outcome, ms);
			// Claim the next mail in the same turn, so that one commit covers both.
			leave();
			leave = () => undefined;
			this.wake();
			if (await recorded) return;
			// While the database is unavailable, mails with unrecorded outcomes limit further claims. If the service stops
			// first, the same mail is sent again later.
			leave = this.#slots.take();
			while (this.#loop.isRunning) {
				await new Promise((resolve) => setTimeout(resolve, RECORD_RETRY_MS));
				if (await this.#record(mail, outcome, ms, true)) return;
			}
		} finally {
			step.leave();
			lease.end();
			leave();
		}
	}

	/** @returns whether it was recorded; logs the first failure. */
	async #record(mail: ClaimedMail, outcome: MailOutcome, ms: number, isRepeated = false): Promise<boolean> {
		const { queue, clock, log, statistics } = this.#options;
		const { id: mail_id, tenantId: tenant_id, attempts } = mail;
		const { kind, store, line, retryInMs: retry_in_ms } = outcome;
		try {
			await store?.(queue, mail_id, clock(), outcome);
		} catch (error) {
			if (!isRepeated) log.error({ err: error, mail_id }, "the outcome of a mail could not be recorded");
			return false;
		}
		this.#counts[kind] += 1;
		if (kind === "sent" || kind === "failed") statistics.count(tenant_id, `mail_${kind}`);
		if (line === undefined) return true;
		const [level, message, state] = line;
		const error = outcome.error && withoutAddress(outcome.error, mail.to);
		const about = { mail_id, tenant_id, template: mail.message.kind, state, attempts, ms, error };
		log[level]({ ...about, retry_in_ms }, message);
		return true;
	}
}
