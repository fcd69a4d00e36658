// The job that empties the outbox: every mail leaves at least once, and none waits for another's bad recipient.

import {
	type ClaimedMail,
	MAIL_UNDER_WAY_MAX,
	type MailQueue,
	type MailTransport,
} from "../features/mail/model.ts";
import type { RenderOptions } from "../features/mail/render.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { attemptMail, type MailAttemptOptions, type MailOutcome } from "./mail-attempt.ts";
import { createHandover, type Handover } from "./mail-handover.ts";
import { LEASE_MS, MailLease } from "./mail-lease.ts";
import { createPlaces, type Places } from "./mail-places.ts";
import { TransportWatch } from "./mail-transport-watch.ts";

export interface MailDeliveryOptions extends RenderOptions {
	readonly queue: MailQueue;
	readonly transport: MailTransport;
	readonly clock: Clock;
	readonly log: Log;
	/** Deliveries at the same time while each is quick: 4 unless told. */
	readonly parallel?: number;
	/** After this a delivery counts as slow and gives its place to the next mail: 3 s unless told. */
	readonly slowAfterMs?: number;
	/** One attempt takes at most this: 40 s unless told. */
	readonly attemptTimeoutMs?: number;
	/** How often to look for mail nobody announced (another node's, a due retry): 2 s unless told. */
	readonly pollMs?: number;
	/** First and longest wait before an unreachable transport is tried again: 1 s and 15 s unless told. */
	readonly transportRetryMs?: { readonly first: number; readonly longest: number };
	/** How long `stop` waits for deliveries under way before it breaks them off: 8 s unless told. */
	readonly stopGraceMs?: number;
	/** Gives 0 ≤ x < 1. */
	readonly random?: () => number;
}

/** Counts since the start, and the state of now. */
export interface MailDeliveryStats {
	readonly sent: number;
	readonly retried: number;
	readonly failed: number;
	readonly underWay: number;
	/** Whether the transport is taken to be unreachable; mails wait until it answers. */
	readonly isTransportAway: boolean;
}

export interface MailDelivery {
	/** Says that a mail was committed; delivery looks at once. Cheap, never throws, and does nothing before `start`. */
	wake(): void;
	/** Once, with one `stop` after it. */
	start(): void;
	/** Takes no more mail; resolves when what was under way has left or was broken off (then it is due again at once). */
	stop(): Promise<void>;
	readonly stats: MailDeliveryStats;
}

export function createMailDelivery(options: MailDeliveryOptions): MailDelivery {
	return new Delivery(options);
}

/** What could not be recorded is tried again. */
const RECORD_AGAIN_MS = 500;
/** Even when the outbox says that mail is due already, and gives none. */
const SHORTEST_WAIT_MS = 100;

class Delivery implements MailDelivery {
	readonly #options: MailDeliveryOptions;
	readonly #attempt: MailAttemptOptions;
	readonly #places: Places;
	readonly #handover: Handover;
	readonly #watch: TransportWatch;
	readonly #underWay = new Set<Promise<void>>();
	readonly #breakOff = new AbortController();
	#isRunning = false;
	#isLooking = false;
	#lookAgain = false;
	#timer: NodeJS.Timeout | undefined;
	#isQueueAway = false;
	#sent = 0;
	#retried = 0;
	#failed = 0;

	constructor(options: MailDeliveryOptions) {
		const random = options.random ?? Math.random;
		this.#options = options;
		this.#places = createPlaces({
			quick: options.parallel ?? 4,
			all: MAIL_UNDER_WAY_MAX,
			slowAfterMs: options.slowAfterMs ?? 3_000,
			onFreed: () => this.wake(),
		});
		this.#handover = createHandover(options.slowAfterMs ?? 3_000);
		this.#watch = new TransportWatch({
			transport: options.transport,
			log: options.log,
			retryMs: options.transportRetryMs ?? { first: 1_000, longest: 15_000 },
			random,
			onBack: () => this.wake(),
		});
		this.#attempt = {
			render: options,
			transport: options.transport,
			watch: this.#watch,
			clock: options.clock,
			random,
			timeoutMs: options.attemptTimeoutMs ?? 40_000,
			breakOff: this.#breakOff.signal,
		};
	}

	get stats(): MailDeliveryStats {
		return {
			sent: this.#sent,
			retried: this.#retried,
			failed: this.#failed,
			underWay: this.#places.taken,
			isTransportAway: this.#watch.isAway,
		};
	}

	start(): void {
		this.#isRunning = true;
		this.wake();
	}

	wake(): void {
		if (!this.#isRunning) return;
		this.#lookAgain = true;
		if (!this.#isLooking) this.#track(this.#look());
	}

	async stop(): Promise<void> {
		this.#isRunning = false;
		clearTimeout(this.#timer);
		this.#watch.stop();
		if (await settledWithin(this.#underWay, this.#options.stopGraceMs ?? 8_000)) return;
		this.#breakOff.abort();
		await settledWithin(this.#underWay, 1_000);
	}

	/** `work` must not reject. */
	#track(work: Promise<void>): void {
		const tracked = work.finally(() => this.#underWay.delete(tracked));
		this.#underWay.add(tracked);
	}

	async #look(): Promise<void> {
		clearTimeout(this.#timer);
		this.#isLooking = true;
		let waitMs = this.#options.pollMs ?? 2_000;
		try {
			while (this.#lookAgain && this.#isRunning) {
				this.#lookAgain = false;
				await this.#claim();
			}
			const dueAtMs = this.#canTakeMore() ? await this.#options.queue.nextDueAtMs() : undefined;
			if (dueAtMs !== undefined) {
				waitMs = Math.min(waitMs, Math.max(dueAtMs - this.#options.clock(), SHORTEST_WAIT_MS));
			}
			this.#isQueueAway = false;
		} catch (error) {
			if (!this.#isQueueAway) this.#options.log.warn({ err: error }, "mail outbox cannot be read");
			this.#isQueueAway = true;
		}
		this.#isLooking = false;
		if (!this.#isRunning) return;
		if (this.#lookAgain && !this.#isQueueAway) this.wake();
		else this.#timer = setTimeout(() => this.wake(), waitMs);
	}

	#canTakeMore(): boolean {
		return this.#places.free > 0 && !this.#watch.isAway;
	}

	async #claim(): Promise<void> {
		if (!this.#canTakeMore()) return;
		const { queue, clock } = this.#options;
		const claimedAtMs = clock();
		const mails = await queue.claimDue(claimedAtMs, this.#places.free, LEASE_MS);
		for (const mail of mails)
			this.#track(this.#deliver(mail, new MailLease(mail, claimedAtMs, queue, clock)));
	}

	async #deliver(mail: ClaimedMail, lease: MailLease): Promise<void> {
		const leave = this.#places.take();
		const step = this.#handover.step();
		try {
			const outcome = await attemptMail(mail, { lease, step }, this.#attempt);
			step.answered();
			await this.#recordSurely(mail, outcome);
		} finally {
			step.leave();
			lease.end();
			leave();
			this.wake();
		}
	}

	/** While the database is away the outcome is kept here. Forgotten by a stop, it goes out again with the same Message-ID. */
	async #recordSurely(mail: ClaimedMail, outcome: MailOutcome): Promise<void> {
		const { log } = this.#options;
		for (let isFirst = true; ; isFirst = false) {
			try {
				return await this.#record(mail, outcome);
			} catch (error) {
				if (isFirst)
					log.error({ err: error, mailId: mail.id }, "the outcome of a mail could not be recorded");
			}
			if (!this.#isRunning) return;
			await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS));
		}
	}

	async #record(mail: ClaimedMail, outcome: MailOutcome): Promise<void> {
		const { queue, clock, log } = this.#options;
		const about = {
			mailId: mail.id,
			tenantId: mail.tenantId,
			kind: mail.message.kind,
			attempts: mail.attempts,
		};
		if (outcome.kind === "sent") {
			this.#watch.noteWorks();
			await queue.markSent(mail.id, clock());
			this.#sent += 1;
			log.debug(about, "mail sent");
			return;
		}
		const { error } = outcome;
		if (outcome.kind === "lost") log.warn({ ...about, error }, "mail left to another process");
		else if (outcome.kind === "postponed") await queue.postpone(mail.id, clock(), error);
		else if (outcome.kind === "retry") {
			await queue.markRetry(mail.id, clock() + outcome.delayMs, error);
			this.#retried += 1;
			log.info({ ...about, error, retryInMs: outcome.delayMs }, "mail not taken, will be tried again");
		} else {
			await queue.markFailed(mail.id, clock(), error);
			this.#failed += 1;
			log.warn({ ...about, error }, "mail given up");
		}
	}
}

/** Whether all of `work` (and what it leads to) is over within the time. */
async function settledWithin(work: ReadonlySet<Promise<void>>, graceMs: number): Promise<boolean> {
	const timeout = new Promise<"late">((resolve) => setTimeout(resolve, graceMs, "late").unref());
	while (work.size > 0) {
		if ((await Promise.race([Promise.all(work), timeout])) === "late") return false;
	}
	return true;
}
