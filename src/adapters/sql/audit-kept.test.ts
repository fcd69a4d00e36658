import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, beforeEach, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import { TEST_ENGINE } from "../../../test/harness/test-engine.ts";
import { newId } from "../../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";

describe("the audit trail in the database", () => {
	let database: TestDatabase;
	before(async () => {
		database = await openTestDatabase();
	});
	after(() => database.close());
	beforeEach(() =>
		database.db.transaction(async ({ audit }) => {
			for (const action of ["user.created", "user.updated"])
				await audit.append({
					tenantId: database.tenantId,
					actor: "system",
					action,
					target: "",
					origin: SYSTEM_ORIGIN,
				});
		}),
	);

	const run = (sql: string, ...parameters: (string | number)[]) =>
		database.engine.queries.run(sql, ...parameters);
	const kept = async (): Promise<unknown> =>
		(await database.engine.queries.one<{ kept: number }>("SELECT count(*) AS kept FROM audit_events"))?.kept;
	const refused = async (sql: string): Promise<void> => {
		const before = await kept();
		await assert.rejects(run(sql), /are kept as they are/, sql);
		assert.equal(await kept(), before);
	};

	it("refuses to change or delete an event, whatever is asked", async () => {
		for (const sql of [
			"UPDATE audit_events SET actor = 'user:somebody'",
			"UPDATE audit_events SET hash = hash WHERE sequence = 1",
			"DELETE FROM audit_events",
			"DELETE FROM audit_events WHERE sequence = 1",
		])
			await refused(sql);
		if (TEST_ENGINE === "postgres") await refused("TRUNCATE audit_events");
	});

	it("refuses to set a head back, to move or to delete it", async () => {
		for (const sql of [
			"UPDATE audit_heads SET sequence = sequence - 1",
			"UPDATE audit_heads SET tenant_id = 'other'",
			"DELETE FROM audit_heads",
		])
			await refused(sql);
	});

	it("lets go of what is at or below a checkpoint of the tenant, and of nothing above", async () => {
		const other = newId(database.clock.now());
		await database.db.transaction(async ({ tenants, audit }) => {
			const now = database.clock.now();
			await tenants.insert({ id: other, name: "Other", slug: "other", createdAtMs: now, updatedAtMs: now });
			await audit.append({
				tenantId: other,
				actor: "system",
				action: "tenant.created",
				target: "",
				origin: SYSTEM_ORIGIN,
			});
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
	it("changes no event, and deletes none but where checkpoints are written", () => {
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
