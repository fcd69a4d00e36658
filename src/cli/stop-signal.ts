// SIGTERM and SIGINT, heard from before the service is even loaded.

export interface StopSignal {
	readonly isGiven: boolean;
	/** Resolves at the first signal. */
	readonly given: Promise<void>;
}

/** Later signals change nothing: npm passes a terminal's Ctrl-C on to a process that has had it already. */
export function listenForStop(): StopSignal {
	let isGiven = false;
	const given = new Promise<void>((resolve) => {
		for (const signal of ["SIGTERM", "SIGINT"] as const) {
			process.on(signal, () => {
				isGiven = true;
				resolve();
			});
		}
	});
	return {
		given,
		get isGiven() {
			return isGiven;
		},
	};
}
