// Races between several writers, which a single writer never has.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import type { Engine, Queries } from "../../src/adapters/sql/engine.ts";
import { statement } from "../../src/adapters/sql/queries.ts";
import { AppError } from "../../src/kernel/error.ts";
import { StartError } from "../../src/kernel/start-error.ts";
import { UniqueViolation } from "../../src/kernel/transaction.ts";
import { type Pooler, startPooler } from "../harness/databases/pooler.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase, serverUrl } from "../harness/databases/test-engine.ts";

let database: OwnDatabase;
let engine: Engine;

describe("the PostgreSQL engine", { skip: POSTGRES_SKIPPED }, () => {
	before(async () => {
		database = await createPostgresDatabase({ migrated: true });
		engine = await openPostgres(`${database.url}?pool_size=6`);
		await engine.transaction((queries) =>
			engine.script(
				queries,
				`CREATE TABLE parents (id TEXT PRIMARY KEY, total BIGINT NOT NULL);
				 CREATE TABLE children (id TEXT PRIMARY KEY, parent_id TEXT NOT NULL REFERENCES parents (id));
				 INSERT INTO parents VALUES ('a', 0), ('b', 0)`,
			),
		);
	});
	after(async () => {
		await engine.close();
		await database.drop();
	});

	test("rolls back a transaction whose work fails, and names the unique index that refused a row", async () => {
		const work = engine.transaction(async (queries) => {
			await queries.run("INSERT INTO parents VALUES ('undone', 1)");
			throw new Error("no");
		});
		await assert.rejects(work, /^Error: no$/);
		assert.equal(await engine.queries.one("SELECT 1 FROM parents WHERE id = 'undone'"), undefined);
		await assert.rejects(
			engine.queries.run("INSERT INTO parents VALUES ('a', 1)"),
			(error: unknown) => error instanceof UniqueViolation && error.constraint === "parents_pkey",
		);
	});

	test("does not open a database whose default settings break a promise", async () => {
		const { pathname } = new URL(database.url);
		for (const [name, value] of [
			["synchronous_commit", "off"],
			["default_transaction_isolation", "repeatable read"],
		]) {
			await engine.queries.run(`ALTER DATABASE "${pathname.slice(1)}" SET ${name} = '${value}'`);
			const isNamed = ({ message }: Error): boolean => message.includes(`${name} ${value}`);
			await assert.rejects(
				openPostgres(database.url),
				(error) => error instanceof StartError && isNamed(error),
			);
			await engine.queries.run(`ALTER DATABASE "${pathname.slice(1)}" RESET ${name}`);
		}
	});

	test("never reports a rolled back commit as committed", async () => {
		const work = engine.transaction(async (queries) => {
			await queries.run("INSERT INTO parents VALUES ('swallowed', 1)");
			await queries.run("INSERT INTO parents VALUES ('a', 1)").catch(() => undefined);
		});
		await assert.rejects(work, /a failed statement cannot be committed/);
		assert.equal(await engine.queries.one("SELECT 1 FROM parents WHERE id = 'swallowed'"), undefined);
	});

	test("sends single reads of one turn together, and each fails separately", async () => {
		const own = await openPostgres(`${database.url}?pool_size=6&application_name=together`);
		const asked = (sql: string, ...parameters: string[]) =>
			own.queries.one<{ id: string }>(sql, ...parameters);
		const responses = await Promise.allSettled([
			asked("SELECT id FROM parents WHERE id = $1", "a"),
			asked("SELECT id FROM parents WHERE id = CAST(1 / (SELECT 0) AS TEXT)"),
			asked("SELECT id FROM parents WHERE id = $1", "none"),
			asked("SELECT id FROM nowhere WHERE id = $1", "a"),
			asked("SELECT id FROM parents WHERE id = $1", "b"),
		]);
		assert.deepEqual(
			responses.map((response) =>
				response.status === "fulfilled" ? response.value?.id : response.reason.code,
			),
			["a", "22012", undefined, "42P01", "b"],
		);
		const sql = "SELECT count(*) AS connections FROM pg_stat_activity WHERE application_name = 'together'";
		assert.deepEqual(await own.queries.one(sql), { connections: 1 });
		await own.close();
	});

	test("repeats single reads that were lost with their connection", async () => {
		const killed = engine.queries.one("SELECT pg_terminate_backend(pg_backend_pid())");
		const beside = Promise.all(
			["a", "b"].map((id) => engine.queries.one("SELECT id FROM parents WHERE id = $1", id)),
		);
		// The statement ends its own connection.
		await assert.rejects(
			killed,
			(error: unknown) => error instanceof AppError && error.code === "service.unavailable",
		);
		assert.deepEqual(await beside, [{ id: "a" }, { id: "b" }]);
	});

	test("does not count a statement's own error as an unavailable database", async () => {
		await engine.transaction((queries) => engine.script(queries, "CREATE SEQUENCE unused"));
		const failures = engine.failures;
		// The code of a database that accepts no connections.
		await assert.rejects(engine.queries.one("SELECT currval('unused')"), { code: "55000" });
		assert.equal(engine.failures, failures);
	});

	test("returns integers of eight bytes as numbers", async () => {
		const row = await engine.queries.one(
			"SELECT count(*) AS n, CAST(1800000000000 AS BIGINT) AS at FROM parents",
		);
		assert.deepEqual({ ...(row as object) }, { n: 2, at: 1_800_000_000_000 });
	});

	test("runs a deadlocked transaction once more", async () => {
		const arrived = gate(2);
		const move = (from: string, to: string) => {
			let runs = 0;
			return engine.transaction(async (queries) => {
				await queries.run("UPDATE parents SET total = total - 1 WHERE id = $1", from);
				if (++runs === 1) await arrived();
				await queries.run("UPDATE parents SET total = total + 1 WHERE id = $1", to);
				return runs;
			});
		};
		const runs = await Promise.all([move("a", "b"), move("b", "a")]);
		assert.deepEqual(runs.sort(), [1, 2]);
		const rows = await engine.queries.all<{ total: number }>("SELECT total FROM parents");
		assert.deepEqual(
			rows.map(({ total }) => total),
			[0, 0],
		);
	});

	test("repeats a transaction whose parent row was deleted in the meantime, and it finds none", async () => {
		await engine.queries.run("INSERT INTO parents VALUES ('short-lived', 0)");
		let runs = 0;
		const outcome = await engine.transaction(async (queries) => {
			runs++;
			if ((await queries.one("SELECT 1 FROM parents WHERE id = 'short-lived'")) === undefined)
				return "not found";
			await engine.queries.run("DELETE FROM parents WHERE id = 'short-lived'");
			await queries.run("INSERT INTO children VALUES ('c', 'short-lived')");
			return "inserted";
		});
		assert.deepEqual([outcome, runs], ["not found", 2]);
	});

	test("refuses a statement while every connection is taken, and accepts one afterwards", async () => {
		const small = await openPostgres(`${database.url}?pool_size=2`);
		const release = gate(3);
		const held = [1, 2].map(() => small.transaction(() => release()));
		// Both connections are held until after the refusal.
		await assert.rejects(
			small.queries.one("SELECT 1"),
			(error: unknown) => error instanceof AppError && error.code === "service.unavailable",
		);
		assert.equal(small.failures, 1);
		await release();
		await Promise.all(held);
		assert.deepEqual({ ...(await small.queries.one<object>("SELECT 1 AS n")) }, { n: 1 });
		await small.close();
	});

	test("finds the host that accepts writes among several", async () => {
		const { port, host } = new URL(database.url);
		const closedPort = "127.0.0.1:1";
		const url = database.url.replace(host, `${closedPort},${host.replace(`:${port}`, "")}:${port}`);
		const found = await openPostgres(`${url}?target_session_attrs=read-write`);
		assert.equal(await found.hasTable("tenants"), true);
		assert.equal(await found.hasTable("nothing"), false);
		await found.close();
	});

	test("prepares statements by name, and none behind a pooler", async () => {
		const text = "SELECT CAST($1 AS TEXT) AS echo";
		const prepared = (asked: Queries) =>
			asked.one<{ n: number }>("SELECT count(*) AS n FROM pg_prepared_statements WHERE statement = $1", text);
		await engine.transaction(async (queries) => {
			await queries.one(text, "a");
			assert.equal((await prepared(queries))?.n, 1);
		});
		const pooler = await startPooler(Number(new URL(database.url).port));
		const url = new URL(database.url);
		url.host = `127.0.0.1:${pooler.port}`;
		const pooled = await openPostgres(url.href);
		assert.deepEqual({ ...(await pooled.queries.one<object>(text, "a")) }, { echo: "a" });
		const limits = await pooled.transaction(async (queries) => {
			await queries.run("UPDATE parents SET total = total + 0 WHERE id = $1", "a");
			return queries.one<object>("SELECT current_setting('statement_timeout') AS statement");
		});
		assert.deepEqual({ ...limits }, { statement: "5s" });
		assert.deepEqual(
			{ ...(await pooled.queries.one<object>("SELECT current_setting('statement_timeout') AS s")) },
			{ s: "0" },
		);
		assert.equal(pooler.namedStatements, 0);
		await pooled.close();
		await pooler.close();
	});

	describe("behind a pooler", () => {
		const KEPT = statement("SELECT p.id, p.total FROM parents p WHERE p.id = $1", { reads: "cached" });
		const BODIES = `SELECT proname AS name, prosrc AS body FROM pg_proc WHERE proname LIKE 'latchkey\\_%'`;
		let pooler: Pooler;
		let url: string;
		before(async () => {
			pooler = await startPooler(Number(new URL(database.url).port));
			const through = new URL(database.url);
			through.host = `127.0.0.1:${pooler.port}`;
			url = through.href;
		});
		after(() => pooler.close());
		const functions = () => engine.queries.all<{ name: string; body: string }>(BODIES);
		const calls = async (pooled: Engine): Promise<boolean> => {
			const plan = await pooled.queries.one<{ id: string; total: number }>(KEPT, "a");
			assert.equal(plan?.id, "a");
			return (await functions()).length > 0;
		};

		test("keeps plans in functions that several nodes create once, and none on direct connections", async () => {
			await engine.keepPlans([KEPT]);
			assert.deepEqual(await functions(), []);
			const nodes = await Promise.all([1, 2, 3].map(() => openPostgres(url)));
			await Promise.all(nodes.map((node) => node.keepPlans([KEPT])));
			const [kept, ...others] = await functions();
			assert.deepEqual(others, []);
			for (const node of nodes) {
				const [row] = await node.queries.all<object>(KEPT, "b");
				assert.deepEqual({ ...row }, { id: "b", total: 0 });
				assert.deepEqual(await node.queries.all(KEPT, "missing"), []);
				await node.close();
			}
			assert.match(
				kept?.body ?? "",
				/RETURN QUERY SELECT p\.id, p\.total FROM parents p WHERE p\.id = \$1; END$/,
			);
		});

		test("replaces a function that was changed, and runs the statement itself when it was dropped", async () => {
			const [kept] = await functions();
			const { name, body } = kept as { name: string; body: string };
			const changed = body.replace("p.id = $1", "p.id <> $1");
			await engine.transaction((queries) =>
				engine.script(
					queries,
					`CREATE OR REPLACE FUNCTION ${name}(text) RETURNS TABLE (id TEXT, total BIGINT) LANGUAGE plpgsql AS $x$${changed}$x$`,
				),
			);
			const pooled = await openPostgres(url);
			await pooled.keepPlans([KEPT]);
			assert.deepEqual(await functions(), [kept]);
			assert.equal(await calls(pooled), true);
			await engine.queries.run(`DROP FUNCTION ${name}(text)`);
			await assert.rejects(pooled.queries.one(KEPT, "a"), /does not exist/);
			assert.equal(await calls(pooled), false);
			await pooled.close();
		});
	});

	test("serializes one-time work", async () => {
		let inside = 0;
		let most = 0;
		const engines = await Promise.all([1, 2, 3].map(() => openPostgres(`${database.url}?pool_size=2`)));
		await Promise.all(
			engines.map((each) =>
				each.exclusively(async () => {
					most = Math.max(most, ++inside);
					await each.queries.one("SELECT pg_sleep(0.05)");
					inside--;
				}),
			),
		);
		assert.equal(most, 1);
		await Promise.all(engines.map((each) => each.close()));
	});

	test("reports an absent database in one line without the password", async () => {
		const url = new URL(serverUrl("latchkey_nowhere"));
		url.password = "hunter2";
		await assert.rejects(openPostgres(url.href), (error: unknown) => {
			assert.ok(error instanceof StartError);
			assert.match(error.message, /^database .*\/latchkey_nowhere cannot be used: /);
			return !error.message.includes("hunter2");
		});
	});
});

/** Resolves after `count` calls. */
function gate(count: number): () => Promise<void> {
	let missing = count;
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return () => {
		if (--missing === 0) open();
		return opened;
	};
}
