// Tracks whether the mail transport is reachable, and probes it while it is not.

import type { MailTransport } from "../domain/mail-transport.ts";
import type { Log } from "../kernel/log.ts";

export interface TransportWatchOptions {
	readonly transport: MailTransport;
	readonly log: Log;
	/** First and longest delay between two probes; doubles in between. */
	readonly retryMs: { readonly first: number; readonly longest: number };
	readonly random: () => number;
	/** Called when the transport is reachable again. */
	readonly onBack: () => void;
}

const VERIFY_TIMEOUT_MS = 10_000;

export class TransportWatch {
	readonly #options: TransportWatchOptions;
	#timer: NodeJS.Timeout | undefined;
	#failedProbes = 0;
	#probing: Promise<boolean> | undefined;
	#isStopped = false;

	constructor(options: TransportWatchOptions) {
		this.#options = options;
	}

	/** True from `noteAway` until a probe succeeds. */
	get isAway(): boolean {
		return this.#timer !== undefined;
	}

	/** Probes the transport; concurrent callers share one probe. False after 10 s without a response. */
	isUp(): Promise<boolean> {
		this.#probing ??= this.#probe().finally(() => {
			this.#probing = undefined;
		});
		return this.#probing;
	}

	/** The transport is unreachable: probes it repeatedly until it responds. */
	noteAway(error: string): void {
		if (this.#timer !== undefined || this.#isStopped) return;
		const { log, random, retryMs } = this.#options;
		if (this.#failedProbes === 0) log.warn({ error }, "mail transport is unavailable");
		const delayMs = Math.min(retryMs.first * 2 ** this.#failedProbes, retryMs.longest) * (1 - random() / 4);
		this.#failedProbes += 1;
		this.#timer = setTimeout(() => void this.#probeAgain(), delayMs);
	}

	/** Reports a sent mail: the next outage starts with the shortest delay. */
	noteWorks(): void {
		if (this.#failedProbes > 0) this.#options.log.info({}, "mail transport is available again");
		this.#failedProbes = 0;
	}

	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	async #probeAgain(): Promise<void> {
		const isUp = await this.isUp();
		if (this.#isStopped) return;
		this.#timer = undefined;
		if (isUp) this.#options.onBack();
		else this.noteAway("still unavailable");
	}

	async #probe(): Promise<boolean> {
		let timer: NodeJS.Timeout | undefined;
		const timeout = new Promise<boolean>((resolve) => {
			timer = setTimeout(resolve, VERIFY_TIMEOUT_MS, false);
		});
		const isUp = this.#options.transport.verify().then(
			() => true,
			() => false,
		);
		return await Promise.race([isUp, timeout]).finally(() => clearTimeout(timer));
	}
}
