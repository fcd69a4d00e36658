// What a delivery holds: its slot, its turn in the handover to the mail server, and the lease that protects its mail from
// other processes.

import { type ClaimedMail, MAIL_LEASE_MS, type MailQueue } from "../domain/mail.ts";
import type { Clock } from "../kernel/clock.ts";
import { Semaphore } from "../kernel/semaphore.ts";

/** Mails between the first byte of the message and the recorded outcome: as many may repeat after a kill. */
export const HANDOVERS_MAX = 4;
/** How long an outcome waits for those of other deliveries. */
const GROUP_MS = 50;

export type Slots = ReturnType<typeof createSlots>;

/**
 * The slots of deliveries: a few for quick ones, and room for slow ones. A recipient whose server hangs delays the
 * following mails by `slowAfterMs` instead of the whole timeout. `onFreed` is called when a slow one frees a quick slot.
 */
export function createSlots(most: { quick: number; all: number }, slowAfterMs: number, onFreed: () => void) {
	const taken = { quick: 0, slow: 0 };
	return {
		/** Slots that new deliveries may take now. */
		get free() {
			return Math.max(0, Math.min(most.quick - taken.quick, most.all - this.taken));
		},
		get taken() {
			return taken.quick + taken.slow;
		},
		/** Call the returned function once, when the delivery has ended. */
		take() {
			let kind: keyof typeof taken = "quick";
			taken.quick += 1;
			const timer = setTimeout(() => {
				kind = "slow";
				taken.quick -= 1;
				taken.slow += 1;
				onFreed();
			}, slowAfterMs);
			return () => {
				clearTimeout(timer);
				taken[kind] -= 1;
			};
		},
	};
}

/** The step of one delivery. Always call `leave` at the end, even if `enter` was never called. */
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

export interface Handover {
	step(): HandoverStep;
}

/** @param slowAfterMs how long a delivery may hold up the others while the server does not respond. */
export function createHandover(slowAfterMs: number, places = HANDOVERS_MAX, groupMs = GROUP_MS): Handover {
	const turns = new Semaphore(places);
	const group = createGroup(places, groupMs);
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

/** Lets the deliveries whose attempts end within `groupMs`, or as soon as there are `size`, continue together. */
function createGroup(size: number, groupMs: number) {
	let unanswered = 0;
	const answers: PromiseWithResolvers<void>[] = [];
	let timer: NodeJS.Timeout | undefined;
	const proceed = (): void => {
		clearTimeout(timer);
		timer = undefined;
		for (const { resolve } of answers.splice(0)) resolve();
	};
	return {
		/** Adds a delivery that the others wait for until its server responds or it leaves. */
		join() {
			let isUnanswered = true;
			unanswered += 1;
			const leave = (): void => {
				if (isUnanswered) unanswered -= 1;
				isUnanswered = false;
				if (unanswered === 0 || answers.length >= size) proceed();
			};
			const answer = (): Promise<void> => {
				const answered = Promise.withResolvers<void>();
				answers.push(answered);
				timer ??= setTimeout(proceed, groupMs);
				leave();
				return answered.promise;
			};
			return { answer, leave };
		},
	};
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
