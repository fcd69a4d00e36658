// Counts by result, merged into the bars of a chart.

import type { Schemas } from "../../api/routes.ts";
import { isoDay, type Period } from "./period.ts";

export type ResultStep = Schemas["ResultStep"];
type Counts = Readonly<Record<string, number>>;

/** One step per bar: the API counts hours, and a bar may show a local day. */
export function barsOf(steps: readonly ResultStep[], bar: Period["bar"]): readonly ResultStep[] {
	if (bar !== "day") return steps;
	const days = new Map<string, ResultStep>();
	for (const step of steps) {
		const day = isoDay(Date.parse(step.at));
		const before = days.get(day);
		days.set(day, before === undefined ? step : { ...sumOf([before, step]), at: before.at });
	}
	return [...days.values()];
}

export function sumOf(steps: readonly ResultStep[]): Pick<ResultStep, "ok" | "refused"> {
	const refused: Record<string, number> = {};
	for (const [code, count] of steps.flatMap((step) => Object.entries(step.refused)))
		refused[code] = (refused[code] ?? 0) + count;
	return { ok: total(steps.map(({ ok }) => ok)), refused };
}

export function refusedOf({ refused }: { readonly refused: Counts }): number {
	return total(Object.values(refused));
}

/** From 0 to 1; undefined without any. */
export function refusedShareOf(steps: readonly ResultStep[]): number | undefined {
	const sum = sumOf(steps);
	const all = sum.ok + refusedOf(sum);
	return all === 0 ? undefined : refusedOf(sum) / all;
}

function total(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0);
}
