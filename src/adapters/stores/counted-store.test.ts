import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { systemCaller } from "../../domain/caller.ts";
import type { UserQuery } from "../../domain/user.ts";
import { newId } from "../../kernel/id.ts";

const PAGE = { page: 1, pageSize: 1 };

onEachEngine("totals of counted lists", (database) => {
	const totals = async (tenantId: string): Promise<number[]> => {
		const { users } = database.db.stores;
		const queries: UserQuery[] = [
			{ tenantId },
			{ tenantId, status: "active" },
			{ tenantId, status: "disabled" },
		];
		const pages = await Promise.all(queries.map((query) => users.list(query, PAGE)));
		return pages.map(({ total }) => total);
	};

	const countedOneByOne = async (tenantId: string): Promise<number[]> => {
		const counts = await database.engine.queries.one<{ all: number; active: number; disabled: number }>(
			`SELECT count(*) AS "all", count(CASE WHEN status = 'active' THEN 1 END) AS active,
			   count(CASE WHEN status = 'disabled' THEN 1 END) AS disabled FROM users WHERE tenant_id = $1`,
			tenantId,
		);
		assert.ok(counts);
		return [counts.all, counts.active, counts.disabled];
	};

	const addTenant = async (): Promise<string> => {
		const id = newId(database.clock.now());
		const slug = `t-${id}`;
		await database.db.stores.tenants.insert({ id, name: slug, slug, createdAtMs: 0, updatedAtMs: 0 });
		return id;
	};

	const partsKept = async (): Promise<number> => {
		const row = await database.engine.queries.one<{ parts: number }>(
			"SELECT count(*) AS parts FROM row_counts WHERE part <> 0",
		);
		return row?.parts ?? Number.NaN;
	};

	test("follow inserted, changed, and deleted rows", async () => {
		const tenantId = await addTenant();
		const added = [];
		for (let number = 0; number < 5; number++)
			added.push(await database.addUser({ username: `come-${number}`, tenantId }));
		assert.deepEqual(await totals(tenantId), [5, 5, 0]);
		const [first, second] = added;
		assert.ok(first && second);
		const { users } = database.db.stores;
		await users.update(tenantId, first.id, { status: "disabled" }, 1);
		await users.update(tenantId, first.id, { displayName: "Ada", status: "disabled" }, 2);
		assert.deepEqual(await totals(tenantId), [5, 4, 1]);
		await users.remove(tenantId, second.id);
		await users.remove(tenantId, second.id);
		assert.deepEqual(await totals(tenantId), [4, 3, 1]);
	});

	test("do not count refused or rolled back rows", async () => {
		const tenantId = await addTenant();
		const user = await database.addUser({ username: "once", tenantId });
		assert.equal(await database.db.stores.users.insert({ ...user, id: newId(0) }), "username");
		const undone = new Error("undone");
		await assert.rejects(
			database.db.transaction(async ({ users }) => {
				await users.insert({ ...user, id: newId(0), username: "other", email: "other@people.example" });
				await users.update(tenantId, user.id, { status: "disabled" }, 1);
				throw undone;
			}),
			undone,
		);
		assert.deepEqual(await totals(tenantId), [1, 1, 0]);
	});

	test("are separate per tenant", async () => {
		const [one, other] = [await addTenant(), await addTenant()];
		await database.addUser({ username: "mine", tenantId: one });
		assert.deepEqual(await totals(other), [0, 0, 0]);
	});

	test("stay exact while they are folded and changed concurrently", async () => {
		const tenantId = await addTenant();
		const { db, addUser } = database;
		const fold = (): Promise<number> => db.transaction(({ rowCounts }) => rowCounts.fold());
		const life = async (number: number): Promise<void> => {
			const { id } = await addUser({ username: `life-${number}`, tenantId });
			if (number % 2 === 0) await db.stores.users.update(tenantId, id, { status: "disabled" }, 1);
			if (number % 3 === 0) await db.stores.users.remove(tenantId, id);
		};
		const lives = Array.from({ length: 60 }, (_, number) => life(number));
		const folds = Array.from({ length: 6 }, fold);
		await Promise.all([...lives, ...folds]);
		const expected = await countedOneByOne(tenantId);
		assert.deepEqual(expected, [40, 20, 20]);
		assert.deepEqual(await totals(tenantId), expected);
		await fold();
		assert.equal(await partsKept(), 0);
		assert.deepEqual(await totals(tenantId), expected);
	});

	test("of an audit trail are the distance between its ends, even after pruning", async () => {
		const tenantId = await addTenant();
		const { db, engine } = database;
		const list = async (): Promise<number> => (await db.stores.audit.list({ tenantId }, PAGE)).total;
		assert.equal(await list(), 0);
		for (let number = 0; number < 4; number++)
			await db.transaction(({ audit }) => audit.append(systemCaller(tenantId), "user.created", ""));
		assert.equal(await list(), 4);
		await engine.queries.run(
			"INSERT INTO audit_checkpoints (tenant_id, sequence, hash, statement, created_at) VALUES ($1, 3, '', '', 0)",
			tenantId,
		);
		await engine.queries.run("DELETE FROM audit_events WHERE tenant_id = $1 AND sequence <= 3", tenantId);
		assert.equal(await list(), 1);
	});
});
