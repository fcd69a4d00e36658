// Loaded into a process before it starts (`--import`): its clock runs faster, and refresh tokens expire after an hour instead
// of a week, so that a few minutes contain what otherwise takes days.

import { registerHooks } from "node:module";
import type { FastClock } from "./steady.ts";

const { realMs, shownMs, factor } = JSON.parse(String(process.env.BENCH_CLOCK)) as FastClock;
const read = Date.now;
const now = (): number => Math.floor(shownMs + (read() - realMs) * factor);

class FastDate extends Date {
	static override now = now;

	constructor(...values: [] | [number]) {
		if (values.length === 0) super(now());
		else super(...values);
	}
}
globalThis.Date = FastDate as DateConstructor;

const WEEK = "REFRESH_SLIDING_SECONDS = 7 * 86_400";
const HOUR = "REFRESH_SLIDING_SECONDS = 3_600";

registerHooks({
	load(url, context, next) {
		const loaded = next(url, context);
		if (!url.endsWith("/src/domain/session.ts")) return loaded;
		const source = String(loaded.source);
		if (!source.includes(WEEK)) throw new Error(`${url} does not contain ${WEEK}`);
		return { ...loaded, source: source.replace(WEEK, HOUR) };
	},
});
