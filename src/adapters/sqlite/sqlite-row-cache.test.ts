import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Engine } from "../sql/engine.ts";
import { statement } from "../sql/queries.ts";
import { openSqlite } from "./sqlite.ts";

const FIND = statement(
	"SELECT p.name, c.text FROM parents p LEFT JOIN children c ON c.parent_id = p.id WHERE p.id = $1",
	{ reads: "cached" },
);
const COUNT_VISIT = statement("INSERT INTO visits VALUES (NULL)", { leavesCache: true });

describe("cache of rows", () => {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-row-cache-"));
	const file = join(folder, "test.db");
	let engine: Engine;

	before(async () => {
		engine = openSqlite(file);
		await engine.transaction((queries) =>
			engine.script(
				queries,
				`CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT);
				CREATE TABLE children (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parents (id) ON DELETE CASCADE, text TEXT);
				CREATE TABLE visits (id INTEGER PRIMARY KEY);
				CREATE TABLE doors (id INTEGER PRIMARY KEY);
				CREATE TRIGGER doors_insert AFTER INSERT ON doors BEGIN UPDATE parents SET name = 'by a trigger'; END;`,
			),
		);
	});
	beforeEach(() =>
		engine.transaction(async (queries) => {
			await queries.run("DELETE FROM parents");
			await queries.run("INSERT INTO parents VALUES (1, 'first')");
			await queries.run("INSERT INTO children VALUES (1, 1, 'child')");
		}),
	);
	after(async () => {
		await engine.close();
		rmSync(folder, { recursive: true });
	});

	const nameNow = async (): Promise<string | undefined> =>
		(await engine.queries.one<{ name: string }>(FIND, 1))?.name;
	const textNow = async (): Promise<string | null | undefined> =>
		(await engine.queries.all<{ text: string | null }>(FIND, 1))[0]?.text;

	it("discards what a trigger writes that another process created in the meantime", async () => {
		await engine.queries.run("INSERT INTO visits VALUES (NULL)");
		const other = new DatabaseSync(file);
		other.exec(
			"CREATE TRIGGER visits_insert AFTER INSERT ON visits BEGIN UPDATE parents SET name = 'by a new trigger'; END",
		);
		assert.equal(await nameNow(), "first");
		await engine.queries.run("INSERT INTO visits VALUES (NULL)");
		assert.equal(await nameNow(), "by a new trigger");
		other.exec("DROP TRIGGER visits_insert");
		other.close();
	});

	it("returns the same frozen row until a commit that may have changed it", async () => {
		const row = await engine.queries.one(FIND, 1);
		assert.ok(Object.isFrozen(row));
		assert.equal(await engine.queries.one(FIND, 1), row);
		await engine.queries.run("INSERT INTO visits VALUES (NULL)");
		assert.equal(await engine.queries.one(FIND, 1), row);
		await engine.queries.run("INSERT INTO children VALUES (2, 1, 'second')");
		assert.notEqual(await engine.queries.one(FIND, 1), row);
	});

	it("discards what a new trigger writes, even in the transaction that creates it", async () => {
		assert.equal(await nameNow(), "first");
		await engine.queries.run("INSERT INTO visits VALUES (NULL)");
		await engine.transaction(async (queries) => {
			await queries.run(
				"CREATE TRIGGER visits_insert AFTER INSERT ON visits BEGIN UPDATE parents SET name = 'visited'; END",
			);
			await queries.run("INSERT INTO visits VALUES (NULL)");
		});
		assert.equal(await nameNow(), "visited");
		await engine.queries.run("UPDATE parents SET name = 'again'");
		assert.equal(await nameNow(), "again");
		await engine.queries.run("INSERT INTO visits VALUES (NULL)");
		assert.equal(await nameNow(), "visited");
		await engine.queries.run("DROP TRIGGER visits_insert");
	});

	it("keeps its rows through reads and declared writes", async () => {
		const row = await engine.queries.one(FIND, 1);
		await engine.queries.run(COUNT_VISIT);
		await engine.transaction(async (queries) => {
			await queries.one("SELECT count(*) AS total FROM visits");
			await queries.one(FIND, 1);
			await queries.run(COUNT_VISIT);
		});
		assert.equal(await engine.queries.one(FIND, 1), row);
	});

	it("discards its rows if any write of the commit is undeclared", async () => {
		const isKept = async (...writes: (() => Promise<unknown>)[]): Promise<boolean> => {
			const row = await engine.queries.one(FIND, 1);
			await Promise.all(writes.map((write) => write()));
			return (await engine.queries.one(FIND, 1)) === row;
		};
		const count = () => engine.queries.run(COUNT_VISIT);
		const rename = "UPDATE parents SET name = 'renamed' RETURNING id";
		assert.equal(await isKept(count, count), true);
		assert.equal(await isKept(count, () => engine.queries.run(rename), count), false);
		assert.equal(await nameNow(), "renamed");
		const transaction = () =>
			engine.transaction(async (queries) => {
				await queries.run(COUNT_VISIT);
				await queries.one(rename);
			});
		assert.equal(await isKept(count, transaction), false);
		assert.equal(await isKept(count), true);
	});

	it("keeps rows by their key while others of the table change", async () => {
		const text = "SELECT name FROM parents WHERE id = $1";
		const byKey = statement(text, { reads: "cached", keyedBy: "parents" });
		const [one, two] = ["1", "2"];
		await engine.queries.run("INSERT INTO parents VALUES (2, 'second')");
		const rows = () => Promise.all([one, two].map((id) => engine.queries.one<{ name: string }>(byKey, id)));
		const isKept = async (sql: string, ...values: string[]): Promise<boolean[]> => {
			const before = await rows();
			await engine.queries.run(sql, ...values);
			const after = await rows();
			const inFile = await engine.transaction((queries) =>
				Promise.all([one, two].map((id) => queries.one<{ name: string }>(text, id))),
			);
			assert.deepEqual(
				after.map((row) => row?.name),
				inFile.map((row) => row?.name),
			);
			return after.map((row, index) => row === before[index]);
		};
		const update = "UPDATE parents SET name = $2 WHERE";
		assert.deepEqual(await isKept(`${update} id = $1`, two, "a"), [true, false]);
		assert.deepEqual(await isKept(`${update} name <> $2 AND id = $1 RETURNING id`, one, "b"), [false, true]);
		assert.deepEqual(await isKept("INSERT INTO parents VALUES ($1, $2)", "3", "third"), [true, true]);
		assert.deepEqual(await isKept(`${update} id = $1 OR name <> ''`, two, "c"), [false, false]);
		assert.deepEqual(await isKept(`${update} id IN ($1)`, two, "d"), [false, false]);
		assert.deepEqual(await isKept("INSERT OR REPLACE INTO parents VALUES ($1, $2)", two, "e"), [
			false,
			false,
		]);
		const upsert = "INSERT INTO parents VALUES ($1, $2) ON CONFLICT DO UPDATE SET name = excluded.name";
		assert.deepEqual(await isKept(upsert, two, "f"), [false, false]);
		assert.deepEqual(await isKept("DELETE FROM parents WHERE id = $1", "3"), [false, false]);
	});

	it("keeps rows by a column while other rows of its table change", async () => {
		await engine.transaction(async (queries) => {
			await queries.run("INSERT INTO parents VALUES (2, 'second')");
			await queries.run("INSERT INTO children VALUES (2, 2, 'child of the second')");
		});
		const text =
			"SELECT c.id, p.id AS parent, p.name FROM children c JOIN parents p ON p.id = c.parent_id WHERE c.id = $1";
		const joined = statement(text, { reads: "cached", keyedBy: "children", idsIn: { parents: "parent" } });
		const rows = () => Promise.all([1, 2].map((id) => engine.queries.one<{ name: string }>(joined, id)));
		const isKept = async (sql: string, ...values: (string | number)[]): Promise<boolean[]> => {
			const before = await rows();
			await engine.queries.run(sql, ...values);
			const after = await rows();
			const inFile = await engine.transaction((queries) =>
				Promise.all([1, 2].map((id) => queries.one<{ name: string }>(text, id))),
			);
			assert.deepEqual(
				after.map((row) => ({ ...row })),
				inFile.map((row) => ({ ...row })),
			);
			return after.map((row, index) => row === before[index]);
		};
		assert.deepEqual(await isKept("UPDATE parents SET name = $2 WHERE id = $1", 2, "a"), [true, false]);
		assert.deepEqual(await isKept("UPDATE children SET text = $2 WHERE id = $1", 1, "b"), [false, true]);
		assert.deepEqual(await isKept("INSERT INTO parents VALUES ($1, $2)", 3, "third"), [true, true]);
		assert.deepEqual(await isKept("UPDATE parents SET name = $1 WHERE name <> ''", "c"), [false, false]);
		assert.deepEqual(await isKept("UPDATE children SET parent_id = $2 WHERE id = $1", 1, 2), [false, true]);
		assert.deepEqual(await isKept("UPDATE parents SET name = $2 WHERE id = $1", 2, "d"), [false, false]);
	});

	it("does not cache missing rows", async () => {
		assert.equal(await engine.queries.one(FIND, 2), undefined);
		await engine.queries.run("INSERT INTO parents VALUES (2, 'second')");
		assert.equal((await engine.queries.one<{ name: string }>(FIND, 2))?.name, "second");
	});

	it("discards rows that a foreign key, a trigger, or a script changed", async () => {
		assert.equal(await textNow(), "child");
		await engine.queries.run("INSERT INTO doors VALUES (NULL)");
		assert.equal(await nameNow(), "by a trigger");
		await engine.transaction((queries) =>
			engine.script(queries, "SELECT 1; UPDATE parents SET name = 'by a script'"),
		);
		assert.equal(await nameNow(), "by a script");
		await engine.queries.run("DELETE FROM parents WHERE id = 1");
		assert.equal(await nameNow(), undefined);
		assert.equal(await textNow(), undefined);
	});

	it("discards rows that a script outside a transaction changed", async () => {
		assert.equal(await nameNow(), "first");
		await engine.script(engine.queries, "UPDATE parents SET name = 'at once'");
		assert.equal(await nameNow(), "at once");
	});

	it("returns the committed row while a transaction is open, and the new row after its commit", async () => {
		await engine.transaction(async (queries) => {
			await queries.run("UPDATE parents SET name = 'open'");
			assert.equal(await nameNow(), "first");
			await new Promise((next) => setImmediate(next));
			assert.equal(await nameNow(), "first");
			assert.equal((await queries.one<{ name: string }>(FIND, 1))?.name, "open");
		});
		assert.equal(await nameNow(), "open");
	});

	it("keeps the row of a transaction that was rolled back, even in a batch with a committed one", async () => {
		assert.equal(await nameNow(), "first");
		const undone = engine.transaction(async (queries) => {
			await queries.run("UPDATE parents SET name = 'undone'");
			throw new Error("undone");
		});
		const done = engine.queries.run("UPDATE children SET text = 'done'");
		await assert.rejects(undone, /undone/);
		await done;
		assert.equal(await nameNow(), "first");
		assert.equal(await textNow(), "done");
	});

	it("sees the commit of another process at the next read", async () => {
		assert.equal(await nameNow(), "first");
		const other = new DatabaseSync(file);
		for (const name of ["a", "b", "c"]) {
			other.prepare("UPDATE parents SET name = ?").run(name);
			assert.equal(await nameNow(), name);
		}
		other.close();
	});

	it("stays correct when results exceed its capacity", async () => {
		const large = "x".repeat(2 ** 20);
		await engine.transaction(async (queries) => {
			for (let id = 10; id < 40; id++)
				await queries.run("INSERT INTO parents VALUES ($1, $2)", id, `${id} ${large}`);
		});
		for (let round = 0; round < 2; round++)
			for (let id = 10; id < 40; id++)
				assert.equal((await engine.queries.one<{ name: string }>(FIND, id))?.name, `${id} ${large}`);
	});
});
