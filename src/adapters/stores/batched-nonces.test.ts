import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { createKeyedDigest } from "../../crypto/digest.ts";
import type { NonceStore } from "../../domain/nonce.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { openSqlite } from "../sqlite/sqlite.ts";
import { batchedNonces, unpackBatch } from "./batched-nonces.ts";
import { raiseNonceFloor } from "./nonce-floor.ts";

const BASE = 1_800_000_000;
const CLIENT = "44444444-4444-4444-8444-444444444444";

let folder: string;
let engine: Engine;
let nonces: NonceStore;
before(async () => {
	folder = mkdtempSync(join(tmpdir(), "latchkey-nonces-"));
	engine = openSqlite(join(folder, "test.db"));
	await migrate(engine, 0);
});
after(async () => {
	await engine.close();
	rmSync(folder, { recursive: true });
});
beforeEach(async () => {
	for (const table of ["nonce_batches", "meta"]) await engine.queries.run(`DELETE FROM ${table}`);
	nonces = restarted();
});

/** The claims that a service knows after its start. */
const restarted = (): NonceStore => batchedNonces(engine, createKeyedDigest())(engine.queries);
const storeOn = (queries: Queries): NonceStore => batchedNonces(engine, undefined)(queries);
const batches = async (): Promise<string[]> =>
	(await engine.queries.all<{ claims: string }>("SELECT claims FROM nonce_batches ORDER BY id")).map(
		({ claims }) => claims,
	);
const purge = (beforeSeconds: number, limit = 1_000): Promise<number> =>
	engine.transaction((queries) => storeOn(queries).purge(beforeSeconds, limit));
const claimAll = (claims: readonly (readonly [nonce: string, seconds: number])[]): Promise<boolean[]> =>
	Promise.all(claims.map(([nonce, seconds]) => nonces.claim(CLIENT, nonce, seconds)));

describe("claims of one turn", () => {
	it("are one row, and the first of several claims of one nonce wins", async () => {
		await nonces.load();
		const won = await claimAll([
			["a", BASE],
			["b", BASE],
			["a", BASE],
			["c", BASE + 1],
			["a", BASE + 1],
		]);
		assert.deepEqual(won, [true, true, false, true, false]);
		assert.equal(await nonces.claim("another client", "a", BASE + 2), true);
		assert.deepEqual((await batches()).flatMap(unpackBatch), [
			{ clientId: CLIENT, nonce: "a", signedAtSeconds: BASE },
			{ clientId: CLIENT, nonce: "b", signedAtSeconds: BASE },
			{ clientId: CLIENT, nonce: "c", signedAtSeconds: BASE + 1 },
			{ clientId: "another client", nonce: "a", signedAtSeconds: BASE + 2 },
		]);
		assert.equal((await batches()).length, 2);
	});

	it("that are all replays write nothing", async () => {
		assert.equal(await nonces.claim(CLIENT, "a", BASE), true);
		assert.deepEqual(
			await claimAll([
				["a", BASE],
				["a", BASE + 9],
			]),
			[false, false],
		);
		assert.equal((await batches()).length, 1);
	});

	it("wait until the claims from before the start are loaded", async () => {
		await claimAll([
			["a", BASE],
			['quote" and\nline', BASE + 7],
		]);
		nonces = restarted();
		assert.equal(await nonces.isFree(CLIENT, "a", BASE), false);
		nonces = restarted();
		assert.deepEqual(
			await claimAll([
				["a", BASE],
				['quote" and\nline', BASE],
				["new", BASE],
			]),
			[false, false, true],
		);
	});
});

describe("a commit that fails", () => {
	it("refuses its claims and removes them from memory", async () => {
		await nonces.claim(CLIENT, "before", BASE);
		await engine.queries.run("ALTER TABLE nonce_batches RENAME TO away");
		const failed = await Promise.allSettled([
			nonces.claim(CLIENT, "a", BASE),
			nonces.claim(CLIENT, "a", BASE),
			nonces.claim(CLIENT, "before", BASE),
		]);
		assert.deepEqual(
			failed.map(({ status }) => status),
			["rejected", "rejected", "rejected"],
		);
		await engine.queries.run("ALTER TABLE away RENAME TO nonce_batches");
		assert.deepEqual(
			await claimAll([
				["a", BASE],
				["before", BASE],
			]),
			[true, false],
		);
		nonces = restarted();
		assert.equal(await nonces.claim(CLIENT, "a", BASE), false);
	});

	it("with a purge removes nothing from memory", async () => {
		await nonces.claim(CLIENT, "old", BASE);
		const failed = engine.transaction(async (queries) => {
			assert.equal(await storeOn(queries).purge(BASE + 1, 10), 1);
			throw new Error("undone");
		});
		const claims = nonces.claim(CLIENT, "new", BASE + 100);
		await assert.rejects(failed, /undone/);
		assert.equal(await claims, true);
		assert.equal(await nonces.claim(CLIENT, "old", BASE), false);
	});

	it("at the start is repeated: the next claim reads again", async () => {
		await nonces.claim(CLIENT, "a", BASE);
		nonces = restarted();
		await engine.queries.run("ALTER TABLE nonce_batches RENAME TO away");
		await assert.rejects(nonces.load());
		await assert.rejects(nonces.claim(CLIENT, "a", BASE));
		await engine.queries.run("ALTER TABLE away RENAME TO nonce_batches");
		assert.equal(await nonces.claim(CLIENT, "a", BASE), false);
	});
});

describe("the floor", () => {
	it("rises with the batches whose nonces are all old", async () => {
		await claimAll([
			["early", BASE],
			["late", BASE + 300],
		]);
		await nonces.claim(CLIENT, "middle", BASE + 10);
		assert.equal(await purge(BASE + 11), 1);
		const verdicts = [
			["early", BASE],
			["middle", BASE + 10],
			["fresh", BASE + 10],
			["late", BASE + 300],
			["early", BASE + 11],
			["fresh", BASE + 11],
		] as const;
		// Nothing is accepted below the floor; above it, a deleted nonce could be claimed again.
		assert.deepEqual(await claimAll(verdicts), [false, false, false, false, true, true]);
		nonces = restarted();
		assert.deepEqual(await claimAll(verdicts), [false, false, false, false, false, false]);
		assert.equal(await purge(BASE + 301), 2);
		assert.deepEqual(await batches(), []);
	});

	it("raised by another process takes effect at the next claim", async () => {
		await nonces.load();
		const beside = openSqlite(join(folder, "test.db"));
		await raiseNonceFloor(beside.queries, BASE);
		await beside.close();
		assert.deepEqual(
			await claimAll([
				["a", BASE],
				["a", BASE + 1],
			]),
			[false, true],
		);
		assert.equal(await nonces.isFree(CLIENT, "b", BASE), false);
		assert.equal(await nonces.isFree(CLIENT, "b", BASE + 1), true);
	});
});

describe("a nonce is not claimed", () => {
	it("inside a transaction, which would wait for itself", async () => {
		const work = engine.transaction((queries) =>
			batchedNonces(engine, createKeyedDigest())(queries).claim(CLIENT, "a", BASE),
		);
		await assert.rejects(work, /a nonce cannot be claimed inside a transaction/);
	});

	it("by a process that does not hold the data directory", async () => {
		const beside = batchedNonces(engine, undefined)(engine.queries);
		const message = /only the process that holds the data directory can claim nonces/;
		await assert.rejects(beside.claim(CLIENT, "a", BASE), message);
		await assert.rejects(beside.isFree(CLIENT, "a", BASE), message);
		assert.equal(await nonces.claim(CLIENT, "a", BASE), true);
	});
});
