// How long this thread was busy, which runs the service of the test.

/** Processor time in milliseconds. Unlike elapsed time, it does not depend on other processes of the machine. */
export function busyMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
}

/** The longest time for which this thread was busy with one call of `probe` until `work` ended, and how many calls ended. */
export async function longestBusyMs(
	probe: () => Promise<unknown>,
	work: Promise<unknown>,
): Promise<{ readonly longestMs: number; readonly calls: number }> {
	let isDone = false;
	const ended = work.finally(() => {
		isDone = true;
	});
	// The caller of `longestBusyMs` handles the failure.
	ended.catch(() => undefined);
	let longestMs = 0;
	let calls = 0;
	do {
		const startMs = busyMs();
		await probe();
		longestMs = Math.max(longestMs, busyMs() - startMs);
		calls++;
	} while (!isDone);
	await ended;
	return { longestMs, calls };
}
