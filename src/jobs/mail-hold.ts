// The lease that protects a mail from other processes, and its turn in the handover to the mail server.

import { type ClaimedMail, MAIL_LEASE_MS, type MailQueue } from "../domain/mail.ts";
import type { Clock } from "../kernel/clock.ts";
import { Semaphore } from "../kernel/semaphore.ts";

/** Mails between the first byte of the message and the recorded outcome: as many may repeat after a kill. */
export const HANDOVERS_MAX = 4;
/** How long an outcome waits for those of other deliveries. */
const GROUP_MS = 50;

export interface Handover {
	/** The step of one delivery. Always call `leave` at the end, even if `enter` was never called. */
	step(): HandoverStep;
}

export interface HandoverStep {
	/**
	 * Resolves when fewer than `places` deliveries are in this step. Further calls return the same promise.
	 *
	 * @throws the signal's reason.
	 */
	enter(signal: AbortSignal): Promise<void>;
	/**
	 * The attempt has ended: the step now lasts until the outcome is recorded. Resolves together with other deliveries, so
	 * that one commit records all their outcomes: when no place or no other delivery is left, at most 50 ms later.
	 */
	answered(): Promise<void>;
	leave(): void;
}

/** @param slowAfterMs how long a delivery may hold up the others while the server does not respond. */
export function createHandover(slowAfterMs: number, places = HANDOVERS_MAX, groupMs = GROUP_MS): Handover {
	const turns = new Semaphore(places);
	const group = new Group(places, groupMs);
	return {
		step() {
			const unanswered = group.join();
			let entering: Promise<void> | undefined;
			let timer: NodeJS.Timeout | undefined;
			let release: (() => void) | undefined;
			let isOver = false;
			const end = (): void => {
				clearTimeout(timer);
				unanswered.leave();
				release?.();
			};
			return {
				enter(signal) {
					entering ??= turns.acquire(signal).then((acquired) => {
						release = acquired;
						if (isOver) end();
						else timer = setTimeout(end, slowAfterMs);
					});
					return entering;
				},
				answered() {
					clearTimeout(timer);
					return unanswered.answer();
				},
				leave() {
					isOver = true;
					end();
				},
			};
		},
	};
}

/** Lets the deliveries whose attempts end within `groupMs` continue together. */
class Group {
	readonly #size: number;
	readonly #groupMs: number;
	#unanswered = 0;
	#answered = 0;
	#together: PromiseWithResolvers<void> | undefined;
	#timer: NodeJS.Timeout | undefined;

	/** @param size continues when this many servers have responded. */
	constructor(size: number, groupMs: number) {
		this.#size = size;
		this.#groupMs = groupMs;
	}

	/** Adds a delivery that the others wait for until its server responds or it leaves. */
	join(): { answer(): Promise<void>; leave(): void } {
		let isUnanswered = true;
		this.#unanswered += 1;
		const settle = (): void => {
			if (isUnanswered) this.#unanswered -= 1;
			isUnanswered = false;
			if (this.#unanswered === 0 || this.#answered >= this.#size) this.#continue();
		};
		return {
			answer: () => {
				this.#together ??= Promise.withResolvers();
				this.#timer ??= setTimeout(() => this.#continue(), this.#groupMs);
				const { promise } = this.#together;
				this.#answered += 1;
				settle();
				return promise;
			},
			leave: settle,
		};
	}

	#continue(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#answered = 0;
		this.#together?.resolve();
		this.#together = undefined;
	}
}

const RENEW_MS = 2_500;
/** An attempt that cannot renew its lease is aborted this long before another node may begin. */
const MARGIN_MS = 2_000;

/** The lease on one claimed mail, from its claim until `end`. */
export class MailLease {
	readonly #mail: ClaimedMail;
	readonly #queue: MailQueue;
	readonly #clock: Clock;
	readonly #lost = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#untilMs: number;

	/** @param claimedAtMs the time that the claim used. */
	constructor(mail: ClaimedMail, claimedAtMs: number, queue: MailQueue, clock: Clock) {
		this.#mail = mail;
		this.#queue = queue;
		this.#clock = clock;
		this.#untilMs = claimedAtMs + MAIL_LEASE_MS;
		this.#timer = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS);
	}

	/** Aborted when another process may have the mail. */
	get lost(): AbortSignal {
		return this.#lost.signal;
	}

	/** Call just before sending: a process that was suspended may have lost the lease. @throws Error if so. */
	async confirm(): Promise<void> {
		if (this.#clock() > this.#untilMs - MAIL_LEASE_MS / 2) await this.#renew();
		this.lost.throwIfAborted();
	}

	end(): void {
		clearInterval(this.#timer);
	}

	async #renew(): Promise<void> {
		const untilMs = this.#clock() + MAIL_LEASE_MS;
		try {
			if (await this.#queue.extendLease(this.#mail, untilMs)) this.#untilMs = untilMs;
			else this.#lost.abort(new Error("another process has the mail"));
		} catch (error) {
			// The database is unavailable. No other process can claim the mail until the lease expires.
			if (this.#clock() > this.#untilMs - MARGIN_MS)
				this.#lost.abort(new Error("the lease could not be renewed"));
			throw error;
		}
	}
}
