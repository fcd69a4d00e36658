// Whether mail can leave at all: stands aside while the transport is away, and asks it when it is back.

import type { MailTransport } from "../features/mail/model.ts";
import type { Log } from "../kernel/log.ts";

export interface TransportWatchOptions {
	readonly transport: MailTransport;
	readonly log: Log;
	/** First and longest wait before a transport that is away is asked again; it doubles in between. */
	readonly retryMs: { readonly first: number; readonly longest: number };
	readonly random: () => number;
	/** Called when the transport answers again. */
	readonly onBack: () => void;
}

const VERIFY_TIMEOUT_MS = 10_000;

export class TransportWatch {
	readonly #options: TransportWatchOptions;
	#timer: NodeJS.Timeout | undefined;
	#waits = 0;
	#asking: Promise<boolean> | undefined;
	#isOver = false;

	constructor(options: TransportWatchOptions) {
		this.#options = options;
	}

	/** True from `noteAway` until the transport answers again. */
	get isAway(): boolean {
		return this.#timer !== undefined;
	}

	/** Asks the transport; one question at a time, however many deliveries ask. No answer in 10 s is a no. */
	isUp(): Promise<boolean> {
		this.#asking ??= this.#ask().finally(() => {
			this.#asking = undefined;
		});
		return this.#asking;
	}

	/** Nothing can leave: asks again after a while, by itself, until it can. */
	noteAway(error: string): void {
		if (this.#timer !== undefined || this.#isOver) return;
		const { log, random, retryMs } = this.#options;
		if (this.#waits === 0) log.warn({ error }, "mail transport is away");
		const delayMs = Math.min(retryMs.first * 2 ** this.#waits, retryMs.longest) * (1 - random() / 4);
		this.#waits += 1;
		this.#timer = setTimeout(() => void this.#askAgain(), delayMs);
	}

	/** A mail got through: the next absence starts with the shortest wait. */
	noteWorks(): void {
		if (this.#waits > 0) this.#options.log.info({}, "mail transport is back");
		this.#waits = 0;
	}

	stop(): void {
		this.#isOver = true;
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	async #askAgain(): Promise<void> {
		const isUp = await this.isUp();
		if (this.#isOver) return;
		this.#timer = undefined;
		if (isUp) this.#options.onBack();
		else this.noteAway("still away");
	}

	async #ask(): Promise<boolean> {
		let timer: NodeJS.Timeout | undefined;
		const tooLate = new Promise<boolean>((resolve) => {
			timer = setTimeout(resolve, VERIFY_TIMEOUT_MS, false);
		});
		const isUp = this.#options.transport.verify().then(
			() => true,
			() => false,
		);
		return await Promise.race([isUp, tooLate]).finally(() => clearTimeout(timer));
	}
}
