// The lease of a mail under way: kept up while its process lives, so that it can be short and a dead process' mail goes out soon.

import type { ClaimedMail, MailQueue } from "../features/mail/model.ts";
import type { Clock } from "../kernel/clock.ts";

/** How long the mail of a process that died waits; also how far the clocks of nodes may be apart, less a renewal. */
export const LEASE_MS = 10_000;
const RENEW_MS = 2_500;
/** An attempt that cannot renew is broken off this long before another node may begin. */
const MARGIN_MS = 2_000;

/** Of one claimed mail, from its claim until `end`. */
export class MailLease {
	readonly #mail: ClaimedMail;
	readonly #queue: MailQueue;
	readonly #clock: Clock;
	readonly #lost = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#untilMs: number;

	/** `claimedAtMs` is the time the claim was made with. */
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

	/** Just before a mail leaves: a process that was stopped for a while finds out that it is no longer the one. @throws Error */
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
			// The database is away. Until the lease is nearly over nobody else can have the mail.
			if (this.#clock() > this.#untilMs - MARGIN_MS)
				this.#lost.abort(new Error("the lease could not be renewed"));
			throw error;
		}
	}
}
