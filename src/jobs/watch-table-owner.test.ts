import assert from "node:assert/strict";
import { test } from "node:test";
import { createTableOwnerWatch } from "./watch-table-owner.ts";

test("reports foreign tables once, until none is left", async () => {
	let foreign: readonly string[] = [];
	const logged: string[] = [];
	const quiet = () => undefined;
	const { healthCheck, job } = createTableOwnerWatch({
		log: {
			isDebug: false,
			debug: quiet,
			info: quiet,
			warn: quiet,
			error: (_: object, message: string) => void logged.push(message),
		},
		findForeignTables: async () => foreign,
	});
	await job.run();
	await healthCheck.check();
	foreign = ["tenants", "users"];
	await job.run();
	await job.run();
	await assert.rejects(healthCheck.check());
	assert.match(healthCheck.detail?.() ?? "", /^another role owns 2 of the tables: /);
	assert.equal(logged.length, 1);
	assert.match(logged[0] ?? "", /^another role owns tenants, users: /);
	foreign = [];
	await job.run();
	await healthCheck.check();
});
