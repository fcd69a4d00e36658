import assert from "node:assert/strict";
import { copyFileSync, existsSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { temporaryFolder } from "../../../test/harness/runs/folder.ts";
import { newId } from "../../kernel/id.ts";
import { isBehind, readMark } from "./database-mark.ts";
import { openSqlite } from "./sqlite.ts";
import { WriteBatch } from "./sqlite-batches.ts";
import { Faults, isFlushFailure } from "./sqlite-fault.ts";
import { RowCache } from "./sqlite-row-cache.ts";
import { TablesOfStatements } from "./sqlite-statement-tables.ts";
import { Turn } from "./sqlite-turn.ts";

const AT_MS = Date.parse("2026-11-28T10:00:00.000Z");

describe("the mark beside an embedded database", () => {
	let folder: ReturnType<typeof temporaryFolder>;
	let file: string;
	const lost: string[] = [];
	const opened: ReturnType<typeof openSqlite>[] = [];
	beforeEach(() => {
		folder = temporaryFolder();
		file = join(folder.path, "latchkey.db");
		lost.length = 0;
	});
	afterEach(async () => {
		for (const engine of opened.splice(0)) await engine.close();
		folder[Symbol.dispose]();
	});

	const open = () => {
		const engine = openSqlite(file);
		opened.push(engine);
		return engine;
	};
	const take = (engine: ReturnType<typeof open>) =>
		engine.ownership?.take(
			newId(AT_MS),
			() => AT_MS,
			(reason) => lost.push(reason),
		);
	const serve = async () => {
		const engine = open();
		await engine.queries.run("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
		await engine.queries.run("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY)");
		const loss = engine.ownership?.findLoss();
		await take(engine);
		return { engine, loss, write: () => engine.queries.run("INSERT INTO rows DEFAULT VALUES") };
	};
	const stop = async (engine: ReturnType<typeof open>) => {
		opened.splice(opened.indexOf(engine), 1);
		await engine.close();
	};
	/** The files as after `kill -9`: the log is not in the database yet. */
	const copyOf = (name: string) => {
		for (const end of ["", "-wal"]) copyFileSync(file + end, join(folder.path, name) + end);
	};
	const putBack = (name: string) => {
		for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
		for (const end of ["", "-wal"]) renameSync(join(folder.path, name) + end, file + end);
	};

	it("counts each commit that changes something, and no other", async () => {
		const { engine, write } = await serve();
		const before = readMark(file)?.commits ?? Number.NaN;
		await Promise.all([write(), write()]);
		await write();
		await engine.queries.run("DELETE FROM rows WHERE id = 99");
		await engine.queries.all("SELECT * FROM rows");
		await assert.rejects(engine.transaction(() => Promise.reject(new Error("no"))));
		assert.equal(readMark(file)?.commits, before + 2);
		assert.equal(readMark(file)?.atMs, AT_MS);
	});

	it("finds nothing missing after a stop, a kill, and starts that were killed at any time", async () => {
		const first = await serve();
		await first.write();
		copyOf("killed");
		await first.write();
		await stop(first.engine);
		const second = await serve();
		assert.equal(second.loss, undefined);
		// Killed between the commit that makes it the owner and its mark.
		const mark = readMark(file);
		assert.ok(mark);
		const owner = { owner: "new", commits: mark.commits };
		assert.equal(isBehind(mark, { ...owner, before: mark }), false);
		assert.equal(isBehind(mark, { ...owner, before: { ...mark, commits: mark.commits - 1 } }), true);
	});

	it("finds an old copy that was put back, and a log that was cut short or removed", async () => {
		const { engine, write } = await serve();
		await write();
		copyOf("old");
		await write();
		copyOf("cut");
		await stop(engine);
		putBack("old");
		const mark = readMark(file);
		assert.ok(mark);
		const old = await serve();
		assert.deepEqual(old.loss, { lastAtMs: AT_MS });
		await stop(old.engine);
		// The loss is reported once: the database has a new owner.
		const next = await serve();
		assert.equal(next.loss, undefined);
		await next.write();
		copyOf("of-next");
		truncateSync(join(folder.path, "of-next-wal"), 0);
		await stop(next.engine);
		putBack("of-next");
		assert.deepEqual((await serve()).loss, { lastAtMs: AT_MS });
	});

	it("finds a copy that another service used in the meantime", async () => {
		const { engine, write } = await serve();
		await write();
		copyOf("elsewhere");
		await write();
		await stop(engine);
		const elsewhere = openSqlite(join(folder.path, "elsewhere"));
		await elsewhere.ownership?.take(
			newId(AT_MS),
			() => AT_MS,
			() => undefined,
		);
		for (let n = 0; n < 10; n++) await elsewhere.queries.run("INSERT INTO rows DEFAULT VALUES");
		await elsewhere.close();
		rmSync(file);
		renameSync(join(folder.path, "elsewhere"), file);
		assert.deepEqual((await serve()).loss, { lastAtMs: AT_MS });
	});

	it("knows the commits of commands, and a command cannot hide that an old copy was put back", async () => {
		const { engine, write } = await serve();
		await write();
		copyOf("old");
		const command = open();
		command.ownership?.follow(() => AT_MS + 5);
		await command.queries.run("INSERT INTO rows DEFAULT VALUES");
		assert.equal(readMark(file)?.atMs, AT_MS + 5);
		await stop(command);
		await stop(engine);
		putBack("old");
		const blind = open();
		blind.ownership?.follow(() => AT_MS + 9);
		for (let n = 0; n < 3; n++) await blind.queries.run("INSERT INTO rows DEFAULT VALUES");
		await stop(blind);
		assert.equal(readMark(file)?.atMs, AT_MS + 5);
	});

	it("refuses the writes of an owner whose place another process has taken", async () => {
		const { engine, write } = await serve();
		await write();
		const other = open();
		await take(other);
		await other.queries.run("INSERT INTO rows DEFAULT VALUES");
		await assert.rejects(write(), { code: "service.unavailable" });
		await assert.rejects(write(), { code: "service.unavailable" });
		assert.deepEqual(lost, [`another process uses the database ${file}`]);
		assert.equal((await engine.queries.all("SELECT id FROM rows")).length, 2);
	});

	it("notices another owner without a write", async () => {
		const { engine } = await serve();
		engine.ownership?.check();
		assert.deepEqual(lost, []);
		await take(open());
		engine.ownership?.check();
		assert.deepEqual(lost, [`another process uses the database ${file}`]);
	});

	for (const end of ["", "-wal", "-shm"])
		it(`notices that latchkey.db${end} was removed`, async () => {
			const { engine } = await serve();
			assert.ok(existsSync(file + end));
			rmSync(file + end);
			engine.ownership?.check();
			engine.ownership?.check();
			assert.deepEqual(lost, [
				`a file of the database ${file} was replaced or removed while the service held it`,
			]);
			await stop(engine);
		});

	it("is ignored while it cannot be read", async () => {
		const { engine, write } = await serve();
		await write();
		await stop(engine);
		truncateSync(`${file}.mark`, 20);
		assert.equal(readMark(file), undefined);
		assert.equal((await serve()).loss, undefined);
	});
});

describe("a commit that the disk did not store", () => {
	for (const [errcode, isFatal] of [
		[1034, true],
		[1290, true],
		[778, false],
		[13, false],
	] as const)
		it(`${isFatal ? "is reported" : "may be repeated"} for code ${errcode}`, async () => {
			const database = new DatabaseSync(":memory:");
			const prepare = database.prepare.bind(database);
			Object.assign(database, {
				prepare(sql: string) {
					const run = () => {
						throw Object.assign(new Error("disk I/O error"), { errcode });
					};
					return sql === "COMMIT" ? Object.assign(prepare(sql), { run }) : prepare(sql);
				},
			});
			const turn = new Turn();
			const batch = new WriteBatch(
				database,
				new RowCache(database, new TablesOfStatements(database)),
				new Faults(),
				turn,
			);
			const failures: unknown[] = [];
			batch.ledger = { count: () => undefined, mark: () => undefined, fail: (error) => failures.push(error) };
			turn.serve({ isWaiting: false, flush: () => undefined }, batch);
			await assert.rejects(
				batch.add(() => undefined, true),
				{ code: "service.unavailable" },
			);
			assert.deepEqual(failures.map(isFlushFailure), [isFatal]);
			database.close();
		});
});
