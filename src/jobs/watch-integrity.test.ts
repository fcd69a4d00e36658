import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "../domain/installation-check.ts";
import { DAY_MS, HOUR_MS } from "../kernel/clock.ts";
import { createIntegrityJob } from "./watch-integrity.ts";

function watched() {
	const state = { nowMs: 0, damagedQueries: 0, isDamaged: false, checks: 0 };
	const logged: string[] = [];
	const quiet = () => undefined;
	const { job, isDamaged, healthCheck } = createIntegrityJob({
		clock: () => state.nowMs,
		log: {
			isDebug: false,
			debug: quiet,
			info: quiet,
			warn: quiet,
			error: (_, message) => void logged.push(message),
		},
		async check() {
			state.checks++;
			const at = { file: "latchkey.db", at: "now" };
			return state.isDamaged
				? check("database.damaged", { ...at, problems: "wrong # of entries" })
				: check("database.intact", at);
		},
		damagedQueries: () => state.damagedQueries,
	});
	return { state, logged, job, isDamaged, healthCheck };
}

describe("createIntegrityJob", () => {
	it("checks once a day", async () => {
		const { state, job } = watched();
		for (; state.nowMs < 2 * DAY_MS; state.nowMs += HOUR_MS) await job.run();
		assert.equal(state.checks, 2);
	});

	it("reports what a check found, in the log and in the health, until a restart", async () => {
		const { state, logged, job, isDamaged, healthCheck } = watched();
		await job.run();
		await healthCheck.check();
		state.isDamaged = true;
		state.nowMs += DAY_MS;
		await job.run();
		assert.equal(isDamaged(), true);
		await assert.rejects(healthCheck.check());
		assert.match(logged.join(), /^latchkey\.db is damaged \(wrong # of entries\)/);
	});

	it("reports what a query found", async () => {
		const { state, isDamaged, healthCheck } = watched();
		state.damagedQueries = 1;
		assert.equal(isDamaged(), true);
		await assert.rejects(healthCheck.check());
	});
});
