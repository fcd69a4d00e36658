import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { beforeEach, describe, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { systemCaller } from "../../domain/caller.ts";
import { newId } from "../../kernel/id.ts";

const EVENT =
	"id, tenant_id, sequence, at, actor, action, target, ip, request_id, details, chain_version, hash";
/** Another event instead of the first one, with its number. */
const OTHER =
	"at, 'user:other', action, target, ip, request_id, details, chain_version, hash FROM audit_events WHERE sequence = 1";
const COPIES = [`id, tenant_id, sequence, ${OTHER}`, `'another id', tenant_id, sequence, ${OTHER}`];
const HEAD = "SELECT tenant_id, 1, 'another hash', 0, 0 FROM audit_heads WHERE sequence > 1";
const CHECKPOINT = "SELECT tenant_id, sequence, 'another hash', '', 0 FROM audit_checkpoints";

/** Each is refused by the database, whichever client sends it. */
const OVERWRITING = {
	sqlite: [
		...COPIES.flatMap((copy) => [
			`REPLACE INTO audit_events (${EVENT}) SELECT ${copy}`,
			`INSERT OR REPLACE INTO audit_events (${EVENT}) SELECT ${copy}`,
			`INSERT INTO audit_events (${EVENT}) SELECT ${copy} ON CONFLICT DO UPDATE SET actor = excluded.actor`,
		]),
		// With another id and number, but in the row of the first event.
		`REPLACE INTO audit_events (rowid, ${EVENT}) SELECT rowid, 'another id', tenant_id, sequence + 1000, ${OTHER}`,
		"UPDATE OR REPLACE audit_events SET sequence = sequence + 1",
		"UPDATE OR REPLACE audit_events SET rowid = rowid + 1",
		`REPLACE INTO audit_heads ${HEAD}`,
		"REPLACE INTO audit_heads (rowid, tenant_id, sequence, hash, at, latest_at) SELECT rowid, 'other', 1, '', 0, 0 FROM audit_heads",
		"UPDATE OR REPLACE audit_heads SET tenant_id = 'other'",
		`REPLACE INTO audit_checkpoints ${CHECKPOINT}`,
		"UPDATE OR REPLACE audit_checkpoints SET hash = 'another hash'",
	],
	postgres: [
		...COPIES.map(
			(copy) =>
				`INSERT INTO audit_events (${EVENT}) SELECT ${copy} ON CONFLICT (tenant_id, sequence, at) DO UPDATE SET actor = excluded.actor`,
		),
		"MERGE INTO audit_events e USING audit_heads h ON e.tenant_id = h.tenant_id WHEN MATCHED THEN UPDATE SET actor = 'other'",
		"MERGE INTO audit_events e USING audit_heads h ON e.tenant_id = h.tenant_id WHEN MATCHED THEN DELETE",
		`INSERT INTO audit_heads ${HEAD} ON CONFLICT (tenant_id) DO UPDATE SET sequence = excluded.sequence`,
		`INSERT INTO audit_checkpoints ${CHECKPOINT} ON CONFLICT (tenant_id, sequence) DO UPDATE SET hash = excluded.hash`,
		"TRUNCATE audit_events",
		// The table of the month.
		"TRUNCATE audit_events_2026_11",
		"UPDATE audit_events_2026_11 SET actor = 'other'",
		"DELETE FROM audit_events_2026_11",
		"TRUNCATE audit_heads",
		"TRUNCATE audit_checkpoints",
	],
};

onEachEngine("the audit trail in the database", (database, engine) => {
	beforeEach(() =>
		database.db.transaction(async ({ audit }) => {
			for (const action of ["user.created", "user.updated"] as const)
				await audit.append(systemCaller(database.tenantId), action, "");
		}),
	);

	const run = (sql: string, ...parameters: (string | number)[]) =>
		database.engine.queries.run(sql, ...parameters);
	const trail = () =>
		Promise.all(
			["audit_events", "audit_heads", "audit_checkpoints"].map((table) =>
				database.engine.queries.all(`SELECT * FROM ${table} ORDER BY tenant_id, sequence`),
			),
		);
	const kept = async (): Promise<unknown> =>
		(await database.engine.queries.one<{ kept: number }>("SELECT count(*) AS kept FROM audit_events"))?.kept;
	const refused = async (sql: string): Promise<void> => {
		const before = await kept();
		await assert.rejects(run(sql), /are kept as they are/, sql);
		assert.equal(await kept(), before);
	};

	it("refuses every change to an event and its deletion", async () => {
		for (const sql of [
			"UPDATE audit_events SET actor = 'user:somebody'",
			"UPDATE audit_events SET hash = hash WHERE sequence = 1",
			"DELETE FROM audit_events",
			"DELETE FROM audit_events WHERE sequence = 1",
		])
			await refused(sql);
		if (engine === "postgres") await refused("TRUNCATE audit_events");
	});

	it("refuses to set a head back, to move or to delete it", async () => {
		for (const sql of [
			"UPDATE audit_heads SET sequence = sequence - 1",
			"UPDATE audit_heads SET tenant_id = 'other'",
			"DELETE FROM audit_heads",
		])
			await refused(sql);
	});

	it("refuses to overwrite an event, a head or a checkpoint by an INSERT or an UPDATE that replaces", async () => {
		await run(
			"INSERT INTO audit_checkpoints (tenant_id, sequence, hash, statement, created_at) VALUES ($1, 0, 'kept', '', 0)",
			database.tenantId,
		);
		const before = await trail();
		assert.ok(before.every((rows) => rows.length > 0));
		for (const sql of OVERWRITING[engine]) {
			await assert.rejects(run(sql), /are kept as they are/, sql);
			assert.deepEqual(await trail(), before, sql);
		}
	});

	it("allows deleting events up to a checkpoint of the tenant, and none after it", async () => {
		const other = newId(database.clock.now());
		await database.db.transaction(async ({ tenants, audit }) => {
			const now = database.clock.now();
			await tenants.insert({ id: other, name: "Other", slug: "other", createdAtMs: now, updatedAtMs: now });
			await audit.append(systemCaller(other), "tenant.created", "");
		});
		await run(
			"INSERT INTO audit_checkpoints (tenant_id, sequence, hash, statement, created_at) VALUES ($1, 1, '', '', 0)",
			database.tenantId,
		);
		await refused("DELETE FROM audit_events");
		await refused(`DELETE FROM audit_events WHERE tenant_id = '${other}'`);
		await refused("DELETE FROM audit_events WHERE sequence = 2");
		assert.equal(
			await run("DELETE FROM audit_events WHERE tenant_id = $1 AND sequence <= 1", database.tenantId),
			1,
		);
		await refused("UPDATE audit_checkpoints SET sequence = 2");
		await refused("DELETE FROM audit_checkpoints");
	});
});

describe("the service's own SQL", () => {
	it("changes no event, and deletes events only where checkpoints are written", () => {
		const files = globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] });
		const writing = files.filter((file) =>
			/\b(UPDATE|DELETE\s+FROM|TRUNCATE(\s+TABLE)?|REPLACE\s+INTO)\s+audit_(events|checkpoints)\b/i.test(
				readFileSync(file, "utf8"),
			),
		);
		assert.deepEqual(
			writing.filter((file) => !file.endsWith("audit-checkpoint-store.ts")),
			[],
		);
	});
});
