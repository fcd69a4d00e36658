import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder } from "../../../test/harness/runs/folder.ts";
import { AppError } from "../../kernel/error.ts";
import type { Engine } from "../sql/engine.ts";
import { type Statement, statement } from "../sql/queries.ts";
import { openSqlite } from "./sqlite.ts";
import { Faults } from "./sqlite-fault.ts";
import { Searches } from "./sqlite-searches.ts";

const separately = (text: string): Statement => statement(text, { reads: "separately" });
const COUNT_TO = (most: number): Statement =>
	separately(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most}) SELECT max(i) AS most FROM n`,
	);

describe("searches of an embedded database", () => {
	const folder = temporaryFolder();
	const file = `${folder.path}/test.db`;
	let engine: Engine;
	before(async () => {
		engine = openSqlite(file);
		await engine.queries.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
	});
	after(async () => {
		await engine.close();
		folder[Symbol.dispose]();
	});

	it("do not block other reads", async () => {
		let isDone = false;
		const search = engine.queries.all(COUNT_TO(1_000_000)).finally(() => {
			isDone = true;
		});
		for (let read = 0; read < 20; read++) await engine.queries.one("SELECT 1 AS one");
		assert.equal(isDone, false);
		assert.deepEqual(await search, [{ most: 1_000_000 }]);
	});

	it("see everything committed before them", async () => {
		for (let number = 1; number <= 20; number++) {
			await engine.queries.run("INSERT INTO notes (text) VALUES ($1)", `note ${number}`);
			const found = await engine.queries.all<{ text: string }>(
				separately("SELECT text FROM notes WHERE text LIKE $1 ORDER BY id DESC LIMIT $2"),
				"note%",
				1,
			);
			assert.deepEqual(found, [{ text: `note ${number}` }]);
		}
	});

	it("run in the transaction of the caller, with its writes", async () => {
		const found = await engine.transaction(async (queries) => {
			await queries.run("INSERT INTO notes (text) VALUES ($1)", "inside");
			return queries.all(separately("SELECT text FROM notes WHERE text = $1"), "inside");
		});
		assert.deepEqual(found, [{ text: "inside" }]);
	});

	it("fail independently, and cannot write", async () => {
		await assert.rejects(engine.queries.all(separately("SELECT x FROM nowhere")), /no such table/);
		await assert.rejects(
			engine.queries.all(separately("DELETE FROM notes WHERE 1 = 1 RETURNING id")),
			(error) => {
				assert.ok(error instanceof AppError);
				assert.equal(error.code, "service.unavailable");
				return true;
			},
		);
		assert.equal((await engine.queries.all(separately("SELECT 1 AS one"))).length, 1);
	});

	it("take turns by tenant, and take a slot from the tenant with the most", async () => {
		const searches = new Searches(file, new Faults());
		const ended: string[] = [];
		const search = (tenant: string, condition = "tenant_id = $1") =>
			searches.all(separately(`SELECT 1 FROM (SELECT $1 AS tenant_id) WHERE ${condition}`), [tenant]).then(
				() => ended.push(tenant),
				({ code }) => ended.push(`${tenant} ${code}`),
			);
		const all = Array.from({ length: 101 }, () => search("busy"));
		all.push(search("one", "(tenant_id || '') = $1"), search("two", "('' || tenant_id) = $1"), search("one"));
		await Promise.all(all);
		await searches.close();
		assert.deepEqual(ended.slice(0, 3), Array(3).fill("busy service.unavailable"));
		assert.deepEqual(ended.slice(3, 10), ["busy", "busy", "one", "two", "busy", "one", "busy"]);
		assert.equal(ended.filter((name) => name === "busy").length, 98);
	});

	it("are refused when too many of one tenant wait, and when the database is closed", async () => {
		const searches = new Searches(file, new Faults());
		const slow = Array.from({ length: 101 }, () => searches.all(COUNT_TO(10_000), []));
		await assert.rejects(searches.all(separately("SELECT 1"), []), { code: "service.unavailable" });
		assert.equal((await Promise.all(slow)).length, 101);
		const waiting = searches.all(COUNT_TO(10_000_000), []);
		const refused = assert.rejects(waiting, { code: "service.unavailable" });
		await searches.close();
		await refused;
	});

	it("are interrupted when the database is closed", { timeout: 60_000 }, async () => {
		const searches = new Searches(file, new Faults());
		await searches.all(separately("SELECT 1"), []);
		// Takes hours.
		const endless = searches.all(COUNT_TO(1e12), []);
		const refused = assert.rejects(endless, { code: "service.unavailable" });
		// Time for the statement to begin; if it does not suffice, the test passes all the same.
		await setTimeout(100);
		await searches.close();
		await refused;
		assert.deepEqual(await searches.all(separately("SELECT 1 AS one"), []), [{ one: 1 }]);
		await searches.close();
	});
});
