// Checks that nothing moves while a page loads.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** The largest cumulative layout shift that users do not notice. */
const SHIFT_MAX = 0.05;
/** Runs in the page before its own scripts. */
const WATCH = `
	window.layoutShifts = [];
	window.layoutShiftObserver = new PerformanceObserver((list) => layoutShifts.push(...list.getEntries()));
	layoutShiftObserver.observe({ type: "layout-shift", buffered: true });
`;
/** Runs in the page: its layout shift so far, with that of the frame in progress, and what moved. */
const SHIFT = `new Promise((resolve) =>
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))),
).then(() => {
	const shifts = [...layoutShifts, ...layoutShiftObserver.takeRecords()].filter(({ hadRecentInput }) => !hadRecentInput);
	const nodes = shifts.flatMap(({ sources }) => sources.map(({ node }) => node?.className || node?.nodeName));
	return { shift: shifts.reduce((sum, { value }) => sum + value, 0), moved: [...new Set(nodes)].join(", ") };
})`;

/** Call it before the page loads. */
export async function watchMoves(page: Page): Promise<void> {
	await page.addInitScript(WATCH);
}

/** Of what loaded since `watchMoves`. */
export async function assertNothingMoved(page: Page): Promise<void> {
	const { shift, moved } = await page.evaluate<{ shift: number; moved: string }>(SHIFT);
	assert.ok(shift < SHIFT_MAX, `the page moved by ${shift.toFixed(3)} while it loaded: ${moved}`);
}
