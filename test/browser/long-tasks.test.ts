// The longest task of the main thread while a page opens, and what moves meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertNothingMoved, watchMoves } from "../harness/browser/layout-shift.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { ADMIN } from "../harness/service/service.ts";

/** Processor time, which other processes on the machine hardly change. */
const TASK_MAX_MS = 150;
/** A cheap phone is this much slower. */
const SLOW_DOWN = 4;
const LOADS_MAX = 10;

const VISITOR_PATHS = ["/", "/sign-in", "/sign-up", "/portal", "/docs"];
const ADMIN_PATHS = [
	"/account",
	"/account/security",
	"/console",
	"/console/people",
	"/console/requests",
	"/console/clients",
	"/console/applications",
	"/console/audit",
];
const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];

interface TraceEvent {
	readonly name: string;
	readonly ph: string;
	readonly pid: number;
	readonly tid: number;
	/** Microseconds on the processor. */
	readonly tdur?: number;
	readonly args?: { readonly name?: string; readonly data?: { readonly url?: string } };
}

describePages("while a page opens", (pages) => {
	for (const path of [...VISITOR_PATHS, ...ADMIN_PATHS])
		test(`nothing moves at ${path}, and no task takes ${TASK_MAX_MS} ms on a slow phone`, async (t) => {
			const { page } = ADMIN_PATHS.includes(path) ? await pages.openAs(ADMIN) : await pages.open();
			const url = `${PAGES_URL}${path}`;
			const load = async () => {
				await page.goto(url, { waitUntil: "networkidle" });
				await page.getByRole("heading", { level: 1 }).first().waitFor();
			};
			await watchMoves(page);
			await load();
			await assertNothingMoved(page);
			// What disturbs one load rarely disturbs all.
			let taskMs = Number.POSITIVE_INFINITY;
			for (let loads = 0; loads < LOADS_MAX && taskMs * SLOW_DOWN > TASK_MAX_MS; loads++)
				taskMs = Math.min(taskMs, await longestTaskMs(page, url, load));
			t.diagnostic(`${path}: ${(taskMs * SLOW_DOWN).toFixed(0)} ms`);
			assert.ok(taskMs * SLOW_DOWN <= TASK_MAX_MS, `${taskMs} ms`);
		});
});

/** Of the renderer that loads `url`. */
async function longestTaskMs(page: Page, url: string, work: () => Promise<void>): Promise<number> {
	const browser = page.context().browser() as Browser;
	await browser.startTracing(page, { categories: CATEGORIES });
	await work();
	const trace = String(await browser.stopTracing());
	const { traceEvents: events } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
	const renderer = events.find(({ name, args }) => name === "CommitLoad" && args?.data?.url === url)?.pid;
	assert.ok(renderer !== undefined, "the load is traced");
	const isMain = ({ name, args }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain";
	const main = events.find((event) => isMain(event) && event.pid === renderer)?.tid;
	const tasks = events.filter(
		({ name, ph, pid, tid }) => name.endsWith("RunTask") && ph === "X" && pid === renderer && tid === main,
	);
	assert.ok(tasks.length > 10, "tasks are traced");
	const longestMs = Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
	assert.ok(longestMs > 0, "the time of tasks on the processor is traced");
	return longestMs;
}
