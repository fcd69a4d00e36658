import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { mountSmallDisk } from "../../../test/harness/databases/small-disk.ts";
import { AppError } from "../../kernel/error.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../migrations/migrate.ts";
import type { Engine } from "../sql/engine.ts";
import { openSqlite } from "./sqlite.ts";

describe("openSqlite", () => {
	let folder: string;
	let engine: Engine;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "latchkey-sqlite-"));
		engine = openSqlite(join(folder, "test.db"));
		await engine.transaction((queries) =>
			queries.run("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"),
		);
	});
	after(async () => {
		await engine.close();
		rmSync(folder, { recursive: true });
	});

	const names = async (): Promise<string[]> =>
		(await engine.queries.all<{ name: string }>("SELECT name FROM things ORDER BY name")).map(
			(row) => row.name,
		);
	const clear = (): Promise<number> => engine.queries.run("DELETE FROM things");

	it("accepts parameters by number, repeated and out of order", async () => {
		const row = await engine.queries.one<{ a: string; b: string; c: string }>(
			"SELECT $2 AS a, $1 AS b, $2 AS c",
			"one",
			"two",
		);
		assert.deepEqual({ ...row }, { a: "two", b: "one", c: "two" });
	});

	it("rolls back one transaction of a batch and keeps the others", async () => {
		await clear();
		const insert = (name: string, fail = false) =>
			engine.transaction(async (queries) => {
				await queries.run("INSERT INTO things (name) VALUES ($1)", name);
				if (fail) throw new Error(`no ${name}`);
				return name;
			});
		const results = await Promise.allSettled([
			insert("a"),
			insert("b", true),
			engine.queries.run("INSERT INTO things (name) VALUES ('c')"),
			insert("d"),
		]);
		assert.deepEqual(
			results.map((result) => result.status),
			["fulfilled", "rejected", "fulfilled", "fulfilled"],
		);
		assert.deepEqual(await names(), ["a", "c", "d"]);
	});

	it("fails a transaction that SQLite ended, even if its work ignores the error", async () => {
		await clear();
		const ended = engine.transaction(async (queries) => {
			await queries.run("INSERT INTO things (name) VALUES ('a')");
			await assert.rejects(queries.run("INSERT OR ROLLBACK INTO things (name) VALUES ('a')"));
		});
		await assert.rejects(ended);
		assert.deepEqual(await names(), []);
	});

	it("distinguishes a unique violation from other failures, without affecting the batch", async () => {
		await clear();
		const results = await Promise.allSettled(
			["x", "x", "y"].map((name) => engine.queries.run("INSERT INTO things (name) VALUES ($1)", name)),
		);
		assert.equal((results[1] as PromiseRejectedResult).reason instanceof UniqueViolation, true);
		assert.match((results[1] as PromiseRejectedResult).reason.constraint, /things\.name/);
		assert.deepEqual(await names(), ["x", "y"]);
	});

	it("never shows uncommitted rows to a read", async () => {
		await clear();
		await engine.transaction(async (queries) => {
			await queries.run("INSERT INTO things (name) VALUES ('secret')");
			assert.deepEqual(await names(), []);
			assert.equal((await queries.one<{ total: number }>("SELECT count(*) AS total FROM things"))?.total, 1);
		});
		assert.deepEqual(await names(), ["secret"]);
	});

	it("commits once for all writes of one turn of the event loop", async () => {
		await clear();
		const pages = () => engine.queries.one<{ data_version: number }>("PRAGMA data_version");
		const before = (await pages())?.data_version as number;
		await Promise.all(
			Array.from({ length: 500 }, (_, index) =>
				engine.queries.run("INSERT INTO things (name) VALUES ($1)", `n${index}`),
			),
		);
		const after = (await pages())?.data_version as number;
		assert.equal((await names()).length, 500);
		assert.equal(after - before, 1);
	});

	it("is durable: WAL with synchronous=FULL and foreign keys on", async () => {
		const pragma = async (name: string) =>
			Object.values((await engine.queries.one<object>(`PRAGMA ${name}`)) ?? {})[0];
		assert.equal(await pragma("journal_mode"), "wal");
		assert.equal(await pragma("synchronous"), 2);
		assert.equal(await pragma("foreign_keys"), 1);
	});

	it("is accessible only to its owner, and so is its log", {
		skip: process.platform === "win32" && "needs POSIX file modes",
	}, () => {
		for (const name of ["test.db", "test.db-wal", "test.db-shm"])
			assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
	});

	it("waits for a write of another process, and serves reads in the meantime", async () => {
		await clear();
		const other = new DatabaseSync(join(folder, "test.db"));
		other.exec("BEGIN IMMEDIATE; INSERT INTO things (name) VALUES ('theirs')");
		let isWritten = false;
		const write = engine.queries.run("INSERT INTO things (name) VALUES ('ours')").then(() => {
			isWritten = true;
		});
		await new Promise((resolve) => setTimeout(resolve, 50));
		assert.deepEqual(await names(), []);
		assert.equal(isWritten, false);
		other.exec("COMMIT");
		other.close();
		await write;
		assert.deepEqual(await names(), ["ours", "theirs"]);
	});

	it("batches the reads of a turn in one snapshot", async () => {
		await clear();
		const other = new DatabaseSync(join(folder, "test.db"));
		const first = names();
		other.exec("INSERT INTO things (name) VALUES ('theirs')");
		assert.deepEqual(await Promise.all([first, names()]), [["theirs"], ["theirs"]]);
		other.exec("DELETE FROM things");
		assert.deepEqual(await names(), []);
		other.close();
	});

	it("continues after a failed read", async () => {
		await clear();
		const failing = "SELECT abs(-9223372036854775808)";
		const results = await Promise.allSettled([names(), engine.queries.all(failing), names()]);
		assert.deepEqual(
			results.map(({ status }) => status),
			["fulfilled", "rejected", "fulfilled"],
		);
		await engine.queries.run("INSERT INTO things (name) VALUES ('after')");
		assert.deepEqual(await names(), ["after"]);
	});

	it("keeps its log small under continuous reads and writes", async () => {
		await clear();
		await engine.queries.run("INSERT INTO things (name) VALUES ('x')");
		for (let turn = 0; turn < 1_500; turn++)
			await Promise.all([engine.queries.run("UPDATE things SET name = $1", String(turn)), names()]);
		// SQLite copies the log back every 1,000 pages of 4 KiB.
		assert.ok(statSync(join(folder, "test.db-wal")).size < 8_000_000);
	});

	it("cannot write through the read connection", async () => {
		await assert.rejects(engine.queries.one("INSERT INTO things (name) VALUES ('sneaky') RETURNING id"));
		assert.equal((await names()).includes("sneaky"), false);
	});
});

describe("a full disk", () => {
	it("returns service.unavailable, loses no acknowledged write, and recovers automatically", async (t) => {
		const folder = mountSmallDisk(1);
		if (folder === undefined) {
			t.skip("needs permission to mount a small file system");
			return;
		}
		const engine = openSqlite(join(folder, "test.db"));
		try {
			await engine.queries.run("CREATE TABLE blobs (id INTEGER PRIMARY KEY, text TEXT)");
			let acknowledged = 0;
			let refusal: unknown;
			while (refusal === undefined && acknowledged < 1_000) {
				const results = await Promise.allSettled(
					[1, 2].map(() =>
						engine.transaction((queries) =>
							queries.run("INSERT INTO blobs (text) VALUES ($1)", "x".repeat(10_000)),
						),
					),
				);
				for (const result of results) {
					if (result.status === "fulfilled") acknowledged++;
					else refusal = result.reason;
				}
			}
			assert.ok(refusal instanceof AppError, String(refusal));
			assert.equal(refusal.code, "service.unavailable");
			assert.ok(engine.failures >= 1);
			const count = async () =>
				(await engine.queries.one<{ total: number }>("SELECT count(*) AS total FROM blobs"))?.total;
			assert.equal(await count(), acknowledged);
			execFileSync("mount", ["-o", "remount,size=8m", folder]);
			await engine.queries.run("INSERT INTO blobs (text) VALUES ('after')");
			assert.equal(await count(), acknowledged + 1);
		} finally {
			await engine.close();
			execFileSync("umount", [folder]);
			rmSync(folder, { recursive: true });
		}
	});
});

describe("migrate", () => {
	it("migrates an empty database once, and refuses one of a newer version", async () => {
		const folder = mkdtempSync(join(tmpdir(), "latchkey-migrate-"));
		const file = join(folder, "test.db");
		try {
			let engine = openSqlite(file);
			assert.equal((await migrate(engine, 1)).length, SCHEMA_VERSION);
			assert.deepEqual(await migrate(engine, 2), []);
			assert.equal(await schemaVersion(engine), SCHEMA_VERSION);
			await engine.close();
			const other = new DatabaseSync(file);
			other.exec(
				`INSERT INTO schema_migrations (version, name, applied_at) VALUES (${SCHEMA_VERSION + 1}, 'later', 3)`,
			);
			other.close();
			engine = openSqlite(file);
			await assert.rejects(migrate(engine, 4), { name: "StartError", message: /newer version/ });
			await engine.close();
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
