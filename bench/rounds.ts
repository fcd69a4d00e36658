// Alternates rounds of the service and the baseline, so that a slow minute affects both, and computes their medians.

/** After one round, code that runs once a second is not optimized yet. */
const WARM_UP_ROUNDS = 2;

/** One measured round of one side. */
export interface Round {
	readonly perSecond: number;
	readonly p50Ms?: number;
	readonly p99Ms?: number;
	/** CPU time of the measured process per request, in microseconds. */
	readonly processorMicros?: number;
	/** CPU usage of the load generator; at 1 it limits the round. */
	readonly generatorShare?: number;
	readonly requests: number;
	readonly seconds: number;
}

export interface Compared {
	readonly rounds: readonly { readonly measured: Round; readonly comparison: Round }[];
	readonly measured: Round;
	readonly comparison: Round;
	/** Per round: requests per second, measured / comparison. */
	readonly ratios: readonly number[];
	/** Per round: CPU time per request, comparison / measured. Empty if it cannot be read. */
	readonly processorRatios: readonly number[];
}

/** Runs `count` rounds of each side after the warm-up; the sides take turns to go first. */
export async function compare(
	count: number,
	measure: () => Promise<Round>,
	compareWith: () => Promise<Round>,
): Promise<Compared> {
	for (let number = 0; number < WARM_UP_ROUNDS; number++) {
		await measure();
		await compareWith();
	}
	const rounds: { measured: Round; comparison: Round }[] = [];
	for (let number = 0; number < count; number++) {
		if (number % 2 === 0) {
			const measured = await measure();
			rounds.push({ measured, comparison: await compareWith() });
		} else {
			const comparison = await compareWith();
			rounds.push({ measured: await measure(), comparison });
		}
	}
	return {
		rounds,
		measured: middle(rounds.map(({ measured }) => measured)),
		comparison: middle(rounds.map(({ comparison }) => comparison)),
		ratios: rounds.map(({ measured, comparison }) => measured.perSecond / comparison.perSecond),
		processorRatios: rounds.flatMap(({ measured, comparison }) =>
			measured.processorMicros === undefined || comparison.processorMicros === undefined
				? []
				: [comparison.processorMicros / measured.processorMicros],
		),
	};
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const half = Math.floor(sorted.length / 2);
	const upper = sorted[half] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of each figure separately. */
function middle(rounds: readonly Round[]): Round {
	const figures: Record<string, number> = {};
	for (const name of Object.keys(rounds[0] ?? {}) as (keyof Round)[]) {
		const value = medianOf(rounds, (round) => round[name]);
		if (value !== undefined) figures[name] = value;
	}
	return figures as unknown as Round;
}

function medianOf<T>(items: readonly T[], read: (item: T) => number | undefined): number | undefined {
	const values = items.map(read).filter((value) => value !== undefined);
	return values.length === 0 ? undefined : median(values);
}
