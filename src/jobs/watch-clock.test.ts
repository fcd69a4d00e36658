import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClockWatch } from "./watch-clock.ts";

const START_MS = Date.parse("2026-11-28T10:00:00.000Z");

function watched(lastMs: number) {
	const state = { nowMs: START_MS };
	const logged: string[] = [];
	const quiet = () => undefined;
	const log = {
		isDebug: false,
		debug: quiet,
		info: quiet,
		warn: (_: object, message: string) => void logged.push(message),
		error: quiet,
	};
	return { state, logged, ...createClockWatch({ clock: () => state.nowMs, log }, lastMs) };
}

describe("createClockWatch", () => {
	it("logs a step back once, and reports it until the clock has caught up", async () => {
		const { state, logged, job, healthCheck } = watched(0);
		await job.run();
		state.nowMs -= 60_000;
		await assert.rejects(healthCheck.check());
		await job.run();
		state.nowMs += 30_000;
		await job.run();
		await assert.rejects(healthCheck.check());
		assert.deepEqual(logged, [
			"the clock was set back: it was 2026-11-28T10:00:00.000Z before, and is 2026-11-28T09:59:00.000Z",
		]);
		state.nowMs = START_MS;
		await job.run();
		await healthCheck.check();
		state.nowMs -= 10_000;
		await job.run();
		assert.equal(logged.length, 2);
	});

	it("notices a clock that was set back while the service was stopped", async () => {
		const { logged, job } = watched(START_MS + 3_600_000);
		await job.run();
		assert.equal(logged.length, 1);
	});

	it("tolerates the corrections of a time synchronization", async () => {
		const { state, logged, job, healthCheck } = watched(0);
		await job.run();
		state.nowMs -= 1_500;
		await job.run();
		await healthCheck.check();
		assert.deepEqual(logged, []);
	});
});
