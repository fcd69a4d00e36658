// Hands mails over one at a time, so that a process that dies leaves at most one whose delivery is unknown.

import { Semaphore } from "../kernel/semaphore.ts";

export interface Handover {
	/** The step of one delivery. Always call `leave` at the end, also when `enter` was never called. */
	step(): HandoverStep;
}

export interface HandoverStep {
	/** Resolves when no other delivery is in this step. Further calls return the same promise. @throws the signal's reason. */
	enter(signal: AbortSignal): Promise<void>;
	/** The mail server has answered: the step now lasts until the outcome is recorded. */
	answered(): void;
	leave(): void;
}

/** @param slowAfterMs how long a delivery may hold up the others while the server does not answer. */
export function createHandover(slowAfterMs: number): Handover {
	const turns = new Semaphore(1);
	return {
		step() {
			let entering: Promise<void> | undefined;
			let timer: NodeJS.Timeout | undefined;
			let release: (() => void) | undefined;
			let isOver = false;
			const end = (): void => {
				clearTimeout(timer);
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
				answered: () => clearTimeout(timer),
				leave() {
					isOver = true;
					end();
				},
			};
		},
	};
}
