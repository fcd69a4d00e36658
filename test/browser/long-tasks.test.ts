// The longest task of the main thread while a page opens, and what moves meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { describePages } from "../harness/describe-pages.ts";
import { assertNothingMoved } from "../harness/layout-shift.ts";
import { PAGES_URL } from "../harness/pages.ts";
import { ADMIN } from "../harness/service.ts";

/** Processor time, which other processes on the machine hardly change. */
const TASK_MAX_MS = 150;
/** A cheap phone is this much slower. */
const SLOW_DOWN = 4;

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
	readonly args?: { readonly name?: string };
}

describePages("while a page opens", (pages) => {
	for (const path of [...VISITOR_PATHS, ...ADMIN_PATHS])
		test(`nothing moves at ${path}, and no task takes ${TASK_MAX_MS} ms on a slow phone`, async (t) => {
			const { page } = ADMIN_PATHS.includes(path) ? await pages.openAs(ADMIN) : await pages.open();
			const taskMs = await longestTaskMs(page, async () => {
				await page.goto(`${PAGES_URL}${path}`, { waitUntil: "networkidle" });
				await page.getByRole("heading", { level: 1 }).first().waitFor();
			});
			t.diagnostic(`${path}: ${(taskMs * SLOW_DOWN).toFixed(0)} ms`);
			assert.ok(taskMs * SLOW_DOWN <= TASK_MAX_MS, `${taskMs} ms`);
			await assertNothingMoved(page);
		});
});

async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
	const browser = page.context().browser() as Browser;
	await browser.startTracing(page, { categories: CATEGORIES });
	await work();
	const trace = String(await browser.stopTracing());
	const { traceEvents: events } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
	const thread = ({ pid, tid }: TraceEvent) => `${pid}.${tid}`;
	const isMain = ({ name, args }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain";
	const mainThreads = new Set(events.filter(isMain).map(thread));
	const tasks = events.filter(
		(event) => event.name.endsWith("RunTask") && event.ph === "X" && mainThreads.has(thread(event)),
	);
	assert.ok(tasks.length > 10, "tasks are traced");
	return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
