// Measures first pages with exact totals, with few rows and with many.

import type { ChildProcess } from "node:child_process";
import { ask } from "./children.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { median } from "./rounds.ts";

/** Median response time in milliseconds, and the reported total. */
interface Measured {
	readonly p50Ms: number;
	readonly total: number;
}

export interface CountedList {
	readonly path: string;
	/** Whether the goal applies. It does not apply to searches, which scan all rows. */
	readonly isAimed: boolean;
	readonly few: Measured;
	readonly many: Measured;
}

export interface ListTarget {
	readonly port: number;
	readonly pid: number;
	readonly generator: ChildProcess;
	readonly token: string;
	readonly rounds: number;
}

/** The second time divided by the first. */
const GOAL = 2;
const LISTS = [
	{ path: "/api/v1/users", isAimed: true },
	{ path: "/api/v1/users?status=disabled", isAimed: true },
	{ path: "/api/v1/users?role=admin", isAimed: true },
	{ path: "/api/v1/requests", isAimed: true },
	{ path: "/api/v1/requests?status=pending", isAimed: true },
	{ path: "/api/v1/audit-events", isAimed: true },
	{ path: "/api/v1/users?q=seed-77777", isAimed: false },
	{ path: "/api/v1/users?page=400", isAimed: false },
];

export async function measureLists(target: ListTarget): Promise<Omit<CountedList, "many">[]> {
	const lists = [];
	for (const list of LISTS) lists.push({ ...list, few: await measure(target, list.path) });
	return lists;
}

async function measure({ port, pid, generator, token, rounds }: ListTarget, path: string): Promise<Measured> {
	const response = await fetch(`http://127.0.0.1:${port}${path}`, {
		headers: {
			authorization: `Bearer ${token}`,
			"x-forwarded-for": "10.255.0.1",
			"x-forwarded-proto": "https",
		},
	});
	const { total } = (await response.json()) as { total: number };
	const load: Load = {
		plan: { kind: "read", path, headers: { Authorization: `Bearer ${token}` } },
		port,
		pid,
		connections: 1,
		count: 2_000,
		seconds: 1,
	};
	const times: number[] = [];
	for (let round = 0; round <= rounds; round++) {
		const { p50Ms } = await ask<LoadResult>(generator, load, 30_000);
		if (round > 0) times.push(p50Ms);
	}
	return { p50Ms: median(times), total };
}

export function listReport(lists: readonly CountedList[]): string[] {
	const lines = [
		`${"first page and total".padEnd(44)}${"few rows".padStart(20)}${"many rows".padStart(22)}${"ratio".padStart(8)}`,
	];
	for (const { path, isAimed, few, many } of lists) {
		const ratio = many.p50Ms / few.p50Ms;
		const goal = isAimed ? ` (goal ≤ ${GOAL}${ratio <= GOAL ? "" : ", MISSED"})` : "";
		lines.push(`${path.padEnd(44)}${cell(few)}  ${cell(many)}${ratio.toFixed(2).padStart(8)}${goal}`);
	}
	return lines;
}

function cell({ p50Ms, total }: Measured): string {
	return `${p50Ms.toFixed(2)} ms of ${total.toLocaleString("en-US")}`.padStart(20);
}
