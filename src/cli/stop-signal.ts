// SIGTERM and SIGINT, listened for before the service is loaded.

export interface StopSignal {
	readonly isReceived: boolean;
	/** Resolves at the first signal. */
	readonly received: Promise<void>;
}

/** Later signals have no effect: npm repeats a terminal's Ctrl-C to a process that received it already. */
export function listenForStop(): StopSignal {
	let isReceived = false;
	const received = new Promise<void>((resolve) => {
		for (const signal of ["SIGTERM", "SIGINT"] as const) {
			process.on(signal, () => {
				isReceived = true;
				resolve();
			});
		}
	});
	return {
		received,
		get isReceived() {
			return isReceived;
		},
	};
}
