// The audit events of each month are in a table of their own, which is created by an append and dropped by `audit prune`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { generateSigningKey, type SigningKey } from "../../src/crypto/signing-key.ts";
import { systemCaller } from "../../src/domain/caller.ts";
import type { Db } from "../../src/domain/stores.ts";
import { verifyCheckpoint } from "../../src/features/record/audit/checkpoint.ts";
import { pruneMonths } from "../../src/features/record/audit/prune-months.ts";
import { pruneTrail } from "../../src/features/record/audit/prune-trail.ts";
import { type ChainReport, verifyChain } from "../../src/features/record/audit/verify-chain.ts";
import { persistenceOn } from "../harness/databases/persistence.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase } from "../harness/databases/test-engine.ts";

const TENANTS = ["tenant-1", "tenant-2", "tenant-3"];

/** A migrated database with some tenants, and two nodes that share a clock. */
class Nodes {
	nowMs = Date.parse("2026-01-10T00:00:00Z");
	readonly key: SigningKey;
	readonly engines: readonly [Engine, Engine];
	readonly dbs: readonly [Db, Db];
	readonly #drop: () => Promise<void>;

	private constructor(engines: readonly [Engine, Engine], key: SigningKey, drop: () => Promise<void>) {
		this.engines = engines;
		this.key = key;
		this.#drop = drop;
		const dbOn = (engine: Engine): Db => persistenceOn(engine, () => this.nowMs);
		this.dbs = [dbOn(engines[0]), dbOn(engines[1])];
	}

	static async open(): Promise<Nodes> {
		const database = await createPostgresDatabase({ migrated: true });
		const open = (): Promise<Engine> => openPostgres(`${database.url}?pool_size=8`);
		const nodes = new Nodes([await open(), await open()], await generateSigningKey(), database.drop);
		const times = { createdAtMs: 0, updatedAtMs: 0 };
		await nodes.dbs[0].transaction(async ({ tenants }) => {
			for (const id of TENANTS) await tenants.insert({ id, name: id, slug: id, ...times });
		});
		return nodes;
	}

	async close(): Promise<void> {
		await Promise.all(this.engines.map((engine) => engine.close()));
		await this.#drop();
	}

	async append(time: string, tenantId: string, count = 1, db: Db = this.dbs[0]): Promise<void> {
		this.nowMs = Date.parse(time);
		await db.transaction(async ({ audit }) => {
			for (let appended = 0; appended < count; appended++)
				await audit.append(systemCaller(tenantId), "user.updated", "");
		});
	}

	verify(tenantId: string): Promise<ChainReport> {
		const { audit, checkpoints } = this.dbs[1].stores;
		const findCheckpoint = checkpoints.findNewest;
		return verifyChain(
			{ ...audit, findCheckpoint, verifyCheckpoint: verifyCheckpoint.bind(undefined, [this.key]) },
			tenantId,
		);
	}

	/** As `latchkey audit prune`. @returns how many events were dropped and how many deleted. */
	async prune(before: string): Promise<{ readonly dropped: number; readonly deleted: number }> {
		const needed = { db: this.dbs[0], clock: () => this.nowMs, key: this.key };
		const beforeMs = Date.parse(before);
		const months = await pruneMonths(needed, systemCaller, beforeMs);
		const dropped = [...months.values()].reduce((sum, events) => sum + events, 0);
		let deleted = 0;
		for (const tenantId of TENANTS) deleted += await pruneTrail(needed, systemCaller(tenantId), beforeMs);
		return { dropped, deleted };
	}

	async months(): Promise<string[]> {
		const sql = "SELECT CAST(month AS TEXT) AS month FROM audit_months()";
		return (await this.engines[0].queries.all<{ month: string }>(sql)).map(({ month }) => month.slice(-7));
	}

	run(sql: string): Promise<number> {
		return this.engines[0].queries.run(sql);
	}
}

describe("audit events by month", { skip: POSTGRES_SKIPPED }, () => {
	let nodes: Nodes;
	before(async () => {
		nodes = await Nodes.open();
	});
	after(() => nodes.close());

	test("get the table of their month from the first append, also when nodes race for it", async () => {
		nodes.nowMs = Date.parse("2026-01-31T23:59:59.999Z");
		for (const time of ["2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z"])
			await Promise.all(
				Array.from({ length: 30 }, (_, index) =>
					nodes.append(time, TENANTS[index % 3] as string, 1, nodes.dbs[index % 2]),
				),
			);
		assert.deepEqual(await nodes.months(), ["2026_01", "2026_02"]);
		for (const tenantId of TENANTS) assert.deepEqual((await nodes.verify(tenantId)).events, 20);
		const [row] = await nodes.engines[0].queries.all<{ total: number }>(
			"SELECT count(*) AS total FROM audit_events_2026_01",
		);
		assert.equal(row?.total, 30);
	});

	test("are listed over the months, newest first, and exported in the order of the chain", async () => {
		const [tenantId] = TENANTS as [string];
		const { audit } = nodes.dbs[0].stores;
		const page = await audit.list({ tenantId }, { page: 2, pageSize: 8 });
		assert.deepEqual(
			[page.total, page.items.map(({ sequence }) => sequence)],
			[20, [12, 11, 10, 9, 8, 7, 6, 5]],
		);
		const found = await audit.listMatching({ tenantId }, { after: { atMs: 0, sequence: 0 }, upTo: 20 }, 30);
		assert.deepEqual(
			found.map(({ sequence }) => sequence),
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
	});

	test("are dropped by whole months with a checkpoint for every trail, and the rest of a month is deleted", async () => {
		await nodes.append("2026-03-05T00:00:00Z", "tenant-1", 4);
		await nodes.append("2026-03-20T00:00:00Z", "tenant-2", 4);
		await nodes.append("2026-04-01T00:00:00Z", "tenant-3", 1);
		// tenant-1 and tenant-2 have no event after March, and `before` is in March.
		assert.deepEqual(await nodes.prune("2026-03-10T00:00:00Z"), { dropped: 60, deleted: 4 });
		assert.deepEqual(await nodes.months(), ["2026_03", "2026_04"]);
		const reports = await Promise.all(TENANTS.map((tenantId) => nodes.verify(tenantId)));
		// One event for each month and tenant, and one for the rest.
		assert.deepEqual(
			reports.map(({ broken, prunedUpTo, events }) => [broken, prunedUpTo, events]),
			[
				[undefined, 24, 3],
				[undefined, 20, 6],
				[undefined, 20, 3],
			],
		);
	});

	test("of an interrupted run stay in intact trails, and the next run drops them", async () => {
		await nodes.append("2026-05-01T00:00:00Z", "tenant-1", 1);
		const [db] = nodes.dbs;
		let calls = 0;
		const interrupted: Db = {
			...db,
			transaction: (work) => (++calls === 3 ? Promise.reject(new Error("killed")) : db.transaction(work)),
		};
		const needed = { db: interrupted, clock: () => nodes.nowMs, key: nodes.key };
		// After the events that record it.
		const pruning = pruneMonths(needed, systemCaller, Date.parse("2026-04-01T00:00:00Z"));
		await assert.rejects(pruning, /killed/);
		assert.ok((await nodes.months()).includes("2026_03"));
		for (const tenantId of TENANTS) assert.equal((await nodes.verify(tenantId)).broken, undefined, tenantId);
		assert.ok((await nodes.prune("2026-04-01T00:00:00Z")).dropped > 0);
		assert.ok(!(await nodes.months()).includes("2026_03"));
		for (const tenantId of TENANTS) assert.equal((await nodes.verify(tenantId)).broken, undefined, tenantId);
	});

	test("stay while a trail has an event in the month after its checkpoint", async () => {
		await nodes.append("2026-06-01T00:00:00Z", "tenant-1", 2);
		// The clock was set back: this event follows one of June.
		await nodes.append("2026-03-30T00:00:00Z", "tenant-1", 1);
		nodes.nowMs = Date.parse("2026-06-02T00:00:00Z");
		assert.equal((await nodes.prune("2026-05-01T00:00:00Z")).dropped, 0);
		assert.ok((await nodes.months()).includes("2026_03"));
		for (const tenantId of TENANTS) assert.equal((await nodes.verify(tenantId)).broken, undefined, tenantId);
		await nodes.append("2026-07-01T00:00:00Z", "tenant-1", 1);
		assert.ok((await nodes.prune("2026-07-01T00:00:00Z")).deleted > 0);
		for (const tenantId of TENANTS) assert.equal((await nodes.verify(tenantId)).broken, undefined, tenantId);
		// Empty by now.
		await nodes.prune("2026-07-01T00:00:00Z");
		assert.deepEqual(await nodes.months(), ["2026_07"]);
	});

	test("are found when another event has the same number, also at the end of a page of the verification", async () => {
		await nodes.append("2026-08-01T00:00:00Z", "tenant-2", 1_005);
		const { prunedUpTo } = await nodes.verify("tenant-2");
		const copy = (sequence: number): string =>
			`INSERT INTO audit_events SELECT tenant_id, sequence, at + 1, 'copy', 'user:other', actor_name, action, target, target_name, ip, request_id,
			 details, changes, chain_version, hash FROM audit_events WHERE tenant_id = 'tenant-2' AND sequence = ${sequence}`;
		const head = (await nodes.dbs[0].stores.audit.findHead("tenant-2"))?.sequence ?? 0;
		for (const sequence of [prunedUpTo + 1, prunedUpTo + 999, prunedUpTo + 1_000, head]) {
			await nodes.run(copy(sequence));
			const { broken } = await nodes.verify("tenant-2");
			assert.ok(broken !== undefined, String(sequence));
			assert.ok(Math.abs(broken.sequence - sequence) <= 1, `${broken.sequence}, not ${sequence}`);
			await nodes.run("ALTER TABLE audit_events DISABLE TRIGGER audit_events_no_delete");
			await nodes.run("DELETE FROM audit_events WHERE id = 'copy'");
			await nodes.run("ALTER TABLE audit_events ENABLE TRIGGER audit_events_no_delete");
		}
		assert.equal((await nodes.verify("tenant-2")).broken, undefined);
	});
});

describe("a month in use", { skip: POSTGRES_SKIPPED }, () => {
	let nodes: Nodes;
	before(async () => {
		nodes = await Nodes.open();
		await nodes.append("2026-01-10T00:00:00Z", "tenant-1", 3);
		await nodes.append("2026-02-10T00:00:00Z", "tenant-1", 1);
	});
	after(() => nodes.close());

	test("is not dropped under a backup, and no append waits for the backup", async () => {
		const { whole } = nodes.engines[1];
		const [db] = nodes.dbs;
		let attempts = 0;
		const counted: Db = {
			...db,
			transaction(work) {
				attempts++;
				return db.transaction(work);
			},
		};
		await whole.view(async (view) => {
			const needed = { db: counted, clock: () => nodes.nowMs, key: nodes.key };
			const pruning = pruneMonths(needed, systemCaller, Date.parse("2026-02-01T00:00:00Z"));
			while (attempts < 6) {
				const before = attempts;
				await nodes.append("2026-02-11T00:00:00Z", "tenant-1");
				assert.ok(attempts - before <= 1, "an append waits for one attempt at most");
			}
			// The view has the events, and not the checkpoint.
			const counts = await view.one<{ events: number; checkpoints: number }>(
				"SELECT (SELECT count(*) FROM audit_events_2026_01) AS events, (SELECT count(*) FROM audit_checkpoints) AS checkpoints",
			);
			assert.deepEqual(counts, { events: 3, checkpoints: 0 });
			await assert.rejects(pruning, /the audit trail is in use, such as by a backup/);
		});
		assert.equal((await nodes.verify("tenant-1")).prunedUpTo, 0);
		assert.equal((await nodes.prune("2026-02-01T00:00:00Z")).dropped, 3);
		assert.equal((await nodes.verify("tenant-1")).broken, undefined);
	});

	test("loses no event of a clock that is behind while it is dropped", async () => {
		await nodes.append("2026-03-01T00:00:00Z", "tenant-2", 1);
		for (let round = 0; round < 10; round++) {
			await nodes.append("2026-02-20T00:00:00Z", "tenant-3", 2);
			nodes.nowMs = Date.parse("2026-02-28T00:00:00Z");
			await Promise.all([
				nodes.prune("2026-03-01T00:00:00Z"),
				...Array.from({ length: 8 }, (_, index) =>
					nodes.dbs[1].transaction(({ audit }) =>
						audit.append(systemCaller(TENANTS[index % 3] as string), "user.updated", ""),
					),
				),
			]);
			for (const tenantId of TENANTS)
				assert.equal((await nodes.verify(tenantId)).broken, undefined, tenantId);
		}
	});
});
