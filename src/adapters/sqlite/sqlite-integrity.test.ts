import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../../test/harness/runs/folder.ts";
import { check } from "../../domain/installation-check.ts";
import { openSqlite } from "./sqlite.ts";
import { checkIntegrity, createIntegrityWatch } from "./sqlite-integrity.ts";

const AT_MS = Date.parse("2026-11-20T08:00:00Z");

describe("the integrity of an embedded database", () => {
	it("is checked while the database is open, and reports damage with its time", async () => {
		using folder = temporaryFolder();
		const file = `${folder.path}/test.db`;
		const engine = openSqlite(file);
		await engine.queries.run("CREATE TABLE notes (text TEXT NOT NULL)");
		for (let note = 0; note < 100; note++)
			await engine.queries.run("INSERT INTO notes VALUES ($1)", "note ".repeat(200));
		const clock = () => AT_MS;
		const at = "2026-11-20T08:00:00.000Z";
		assert.deepEqual(await checkIntegrity(file, clock), check("database.intact", { file, at }));
		await engine.close();
		// Damaged cells are reported; an unreadable page ends the check.
		for (const [offset, length] of [
			[8_200, 64],
			[8_192, 8_192],
		] as const) {
			const descriptor = openSync(file, "r+");
			writeSync(descriptor, Buffer.alloc(length, 0xff), 0, length, offset);
			closeSync(descriptor);
			const damaged = await checkIntegrity(file, clock);
			assert.deepEqual([damaged.code, damaged.status, damaged.params.at], ["database.damaged", "fail", at]);
		}
		assert.equal((await checkIntegrity(`${folder.path}/none.db`, clock)).code, "database.unusable");
	});

	it("is watched in the background, one check at a time", async () => {
		let nowMs = AT_MS;
		const runs: (() => void)[] = [];
		const file = "test.db";
		const watch = createIntegrityWatch(
			() =>
				new Promise((resolve) => {
					const at = `check ${runs.length + 1}`;
					runs.push(() => resolve(check("database.intact", { file, at })));
				}),
			{ file, clock: () => nowMs, keptMs: 1_000 },
		);
		const settle = () => new Promise((resolve) => setImmediate(resolve));
		const checking = check("database.checking", { file, since: "2026-11-20T08:00:00.000Z" });
		assert.deepEqual(watch(), checking);
		nowMs += 5_000;
		assert.deepEqual([watch(), runs.length], [checking, 1]);
		runs[0]?.();
		await settle();
		assert.deepEqual([watch().params.at, runs.length], ["check 1", 1]);
		nowMs += 1_000;
		assert.deepEqual([watch().params.at, runs.length], ["check 1", 2]);
		runs[1]?.();
		await settle();
		assert.deepEqual([watch().params.at, runs.length], ["check 2", 2]);
	});
});
