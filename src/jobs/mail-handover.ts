// The last step of deliveries, one at a time: a process that dies leaves one mail at most of which nobody knows whether it left.

export interface Handover {
	/** The step of one delivery; `leave` must be called in the end, whether it was entered or not. */
	step(): HandoverStep;
}

export interface HandoverStep {
	/** Resolves when no other delivery is in its last step. Asked again it stays where it is. @throws the signal's reason. */
	enter(signal: AbortSignal): Promise<void>;
	/** The mail server has answered: from now on the step is over only when it was recorded. */
	answered(): void;
	leave(): void;
}

/** A server that takes longer than `slowAfterMs` for its answer to a message holds the others up no longer. */
export function createHandover(slowAfterMs: number): Handover {
	const waiting: (() => void)[] = [];
	let isTaken = false;
	const free = (): void => {
		const next = waiting.shift();
		if (next === undefined) isTaken = false;
		else next();
	};
	const turn = (signal: AbortSignal): Promise<void> =>
		new Promise((resolve, reject) => {
			const begin = (): void => {
				signal.removeEventListener("abort", giveUp);
				resolve();
			};
			const giveUp = (): void => {
				waiting.splice(waiting.indexOf(begin), 1);
				reject(signal.reason);
			};
			if (signal.aborted) return reject(signal.reason);
			if (!isTaken) {
				isTaken = true;
				return resolve();
			}
			waiting.push(begin);
			signal.addEventListener("abort", giveUp, { once: true });
		});
	return {
		step() {
			let entering: Promise<void> | undefined;
			let timer: NodeJS.Timeout | undefined;
			let isMine = false;
			let isOver = false;
			const giveBack = (): void => {
				clearTimeout(timer);
				if (isMine) free();
				isMine = false;
			};
			return {
				enter(signal) {
					entering ??= turn(signal).then(() => {
						isMine = true;
						if (isOver) giveBack();
						else timer = setTimeout(giveBack, slowAfterMs);
					});
					return entering;
				},
				answered: () => clearTimeout(timer),
				leave() {
					isOver = true;
					giveBack();
				},
			};
		},
	};
}
