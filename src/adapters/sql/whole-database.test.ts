import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { Row, Table } from "../../domain/backup.ts";
import type { Queries } from "./engine.ts";

onEachEngine("a whole database", (database) => {
	function tableNamed(tables: readonly Table[], name: string): Table {
		const table = tables.find((each) => each.name === name);
		assert.ok(table);
		return table;
	}

	async function readAll(queries: Queries, table: Table): Promise<Row[]> {
		const rows: Row[] = [];
		for await (const batch of database.engine.whole.rows(queries, table)) rows.push(...batch);
		return rows;
	}

	before(async () => {
		for (const username of ["ada", "grace", "Joan", "übung", "zoë"]) await database.addUser({ username });
	});

	test("a view is a snapshot, regardless of concurrent writes", async () => {
		const { whole } = database.engine;
		await whole.view(async (view) => {
			const tables = await whole.tables(view);
			const users = tableNamed(tables, "users");
			const before = await readAll(view, users);
			const added = await database.addUser({ username: `late-${Date.now()}` });
			assert.deepEqual(await readAll(view, users), before);
			const key = users.columns.indexOf("id");
			assert.ok(!before.some((row) => row[key] === added.id));
		});
		const after = await whole.view(async (view) =>
			readAll(view, tableNamed(await whole.tables(view), "users")),
		);
		assert.equal(after.length, 6);
	});

	test("a view has parents before children, and rows in the order of their key", async () => {
		const { whole } = database.engine;
		await whole.view(async (view) => {
			const tables = await whole.tables(view);
			const place = (name: string): number => tables.findIndex((table) => table.name === name);
			assert.ok(place("tenants") < place("users") && place("users") < place("sessions"));
			assert.ok(place("applications") < place("grants") && place("grants") < place("grant_roles"));
			assert.deepEqual(tableNamed(tables, "webhook_deliveries").key, ["webhook_id", "id"]);
			const users = tableNamed(tables, "users");
			const ids = (await readAll(view, users)).map((row) => row[users.columns.indexOf("id")]);
			assert.deepEqual(ids, [...ids].sort());
		});
	});

	test("a view refuses writes", async () => {
		await assert.rejects(
			database.engine.whole.view((view) => view.run("DELETE FROM users")),
			/read-?only|not available/,
		);
	});

	test("restores the rows that were read, without firing triggers, which exist before and after", async () => {
		const { engine, db, tenantId } = database;
		const origin = { ip: "", requestId: "", userAgent: "", acceptLanguage: "" };
		await db.transaction(({ audit }) =>
			audit.append({ tenantId, actor: "system", actorName: "", origin }, "user.updated", ""),
		);
		const { whole } = engine;
		const tables = await whole.view((view) => whole.tables(view));
		const users = tableNamed(tables, "users");
		const total = "SELECT sum(total) AS total FROM row_counts WHERE table_name = 'users'";
		await engine.transaction(async (queries) => {
			const rows = await readAll(queries, users);
			const counted = await queries.one(total);
			await whole.copying(queries, async () => {
				await queries.run("UPDATE audit_events SET actor = 'somebody'");
				await queries.run("DELETE FROM users");
				await whole.insert(queries, users, rows);
			});
			assert.deepEqual(await readAll(queries, users), rows);
			assert.deepEqual(await queries.one(total), counted);
		});
		await assert.rejects(
			engine.queries.run("UPDATE audit_events SET actor = 'somebody else'"),
			/rows of audit_events are kept as they are/,
		);
	});

	test("counts the rows that a long statement changed", async () => {
		const { engine } = database;
		const changed = await engine.transaction((queries) =>
			engine.whole.run(queries, "UPDATE users SET display_name = 'x' WHERE username_key LIKE 'ad%'"),
		);
		assert.equal(changed, 1);
	});
});
