import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { testDatabase } from "../../../../test/harness/databases/database.ts";
import { generateSigningKey, type SigningKey } from "../../../crypto/signing-key.ts";
import { systemCaller } from "../../../domain/caller.ts";
import { DAY_MS } from "../../../kernel/clock.ts";
import { verifyCheckpoint } from "./checkpoint.ts";
import { pruneTrail } from "./prune-trail.ts";
import { verifyChain } from "./verify-chain.ts";

describe("pruneTrail", () => {
	const database = testDatabase();
	let key: SigningKey;
	before(async () => {
		key = await generateSigningKey();
	});

	const append = (count: number) =>
		database.db.transaction(async ({ audit }) => {
			for (let made = 0; made < count; made++)
				await audit.append(systemCaller(database.tenantId), "user.updated", "");
		});
	const prune = (beforeMs: number) =>
		pruneTrail(
			{ db: database.db, clock: database.clock.now, key },
			systemCaller(database.tenantId),
			beforeMs,
		);
	const verify = (keys: readonly SigningKey[] = [key]) => {
		const { audit, checkpoints } = database.db.stores;
		const proof = {
			findCheckpoint: checkpoints.findNewest,
			verifyCheckpoint: verifyCheckpoint.bind(undefined, keys),
		};
		return verifyChain({ ...audit, ...proof }, database.tenantId);
	};

	test("removes older events in chunks and leaves a trail that verifies", async () => {
		await append(5_010);
		database.clock.advance(DAY_MS);
		const dayTwo = database.clock.now();
		await append(3);
		assert.equal(await prune(dayTwo - DAY_MS), 0);
		assert.equal(await prune(dayTwo), 5_010);
		const report = await verify();
		// Three events, and one event for each of two chunks.
		assert.deepEqual([report.events, report.prunedUpTo, report.broken], [5, 5_010, undefined]);
		const { items } = await database.db.stores.audit.list(
			{ tenantId: database.tenantId, actions: ["audit.pruned"] },
			{ page: 1, pageSize: 10 },
		);
		assert.deepEqual(
			items.map(({ details }) => JSON.parse(details)),
			[
				{ before: new Date(dayTwo).toISOString(), up_to_sequence: 5_010, events: 10 },
				{ before: new Date(dayTwo).toISOString(), up_to_sequence: 5_000, events: 5_000 },
			],
		);
		assert.equal(await prune(dayTwo), 0);
	});

	test("can be repeated and run concurrently", async () => {
		database.clock.advance(DAY_MS);
		const now = database.clock.now();
		const removed = await Promise.all([prune(now), prune(now)]);
		assert.equal(removed[0] + removed[1], 5);
		assert.equal((await verify()).broken, undefined);
	});

	test("writes checkpoints that only the signing keys can create", async () => {
		const checkpoint = await database.db.stores.checkpoints.findNewest(database.tenantId);
		assert.ok(checkpoint !== undefined);
		assert.ok(await verifyCheckpoint([key], checkpoint));
		for (const changed of [{ sequence: 1 }, { hash: "x" }, { tenantId: "other" }])
			assert.equal(await verifyCheckpoint([key], { ...checkpoint, ...changed }), false);
		const report = await verify([await generateSigningKey()]);
		assert.deepEqual([report.broken?.kind, report.events], ["forged", 0]);
	});
});
