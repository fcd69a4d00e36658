// Renews the lease of a mail during its delivery, so that leases are short and the mail of a dead process goes out soon.

import type { ClaimedMail, MailQueue } from "../domain/mail.ts";
import type { Clock } from "../kernel/clock.ts";

/** After a process dies, its mail waits this long. The clocks of nodes may differ by this, less one renewal. */
export const LEASE_MS = 10_000;
const RENEW_MS = 2_500;
/** An attempt that cannot renew its lease is broken off this long before another node may begin. */
const MARGIN_MS = 2_000;

/** Of one claimed mail, from its claim until `end`. */
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
		this.#untilMs = claimedAtMs + LEASE_MS;
		this.#timer = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS);
	}

	/** Aborted when another process may have the mail. */
	get lost(): AbortSignal {
		return this.#lost.signal;
	}

	/** Call just before the mail leaves: a process that was suspended may have lost the lease. @throws Error if so. */
	async confirm(): Promise<void> {
		if (this.#clock() > this.#untilMs - LEASE_MS / 2) await this.#renew();
		this.lost.throwIfAborted();
	}

	end(): void {
		clearInterval(this.#timer);
	}

	async #renew(): Promise<void> {
		const untilMs = this.#clock() + LEASE_MS;
		try {
			if (await this.#queue.extendLease(this.#mail, untilMs)) this.#untilMs = untilMs;
			else this.#lost.abort(new Error("another process has the mail"));
		} catch (error) {
			// The database is unavailable. No other process can claim the mail until the lease ends.
			if (this.#clock() > this.#untilMs - MARGIN_MS)
				this.#lost.abort(new Error("the lease could not be renewed"));
			throw error;
		}
	}
}
