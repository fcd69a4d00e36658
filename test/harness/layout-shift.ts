// Checks that nothing moves while a page loads.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** A cumulative layout shift that nobody notices. */
const SHIFT_MAX = 0.05;
/** Runs in the page: its cumulative layout shift so far. */
const SHIFT = `new Promise((resolve) => {
	new PerformanceObserver((list) =>
		resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)),
	).observe({ type: "layout-shift", buffered: true });
	setTimeout(() => resolve(0), 100);
})`;

export async function assertNothingMoved(page: Page): Promise<void> {
	const shift = await page.evaluate<number>(SHIFT);
	assert.ok(shift < SHIFT_MAX, `the page moved by ${shift.toFixed(3)} while it loaded`);
}
