// The functions that keep plans behind a pooler return what the statements themselves return.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { createAccessFactStore } from "../../src/adapters/stores/access-fact-store.ts";
import { KEPT_STATEMENTS } from "../../src/adapters/stores/kept-plans.ts";
import type { AccessFacts } from "../../src/domain/access.ts";
import { type Pooler, startPooler } from "../harness/databases/pooler.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase } from "../harness/databases/test-engine.ts";
import { fillTables } from "../plans/explained-database.ts";
import { APP, CLIENT, TENANT } from "../plans/filled-rows.ts";

const FILLED = [0, 1, 7, 100, 399];
const idsOf = (table: string): string[] => [...FILLED.map((number) => `${table}-${number}`), "missing"];
const CHANGES = [
	`INSERT INTO group_members (tenant_id, group_id, user_id, added_at)
		SELECT '${TENANT}', group_id, 'users-100', 1 FROM group_grants WHERE id IN ('group_grants-1', 'group_grants-7')
		ON CONFLICT DO NOTHING`,
	"UPDATE users SET status = 'disabled' WHERE id = 'users-1'",
	"UPDATE api_clients SET status = 'revoked' WHERE id = 'api_clients-100'",
	"DELETE FROM grant_roles WHERE grant_id IN (SELECT id FROM grants WHERE user_id = 'users-7')",
];

describe("kept plans", { skip: POSTGRES_SKIPPED }, () => {
	let database: OwnDatabase;
	let pooler: Pooler;
	let direct: Engine;
	let pooled: Engine;
	before(async () => {
		database = await createPostgresDatabase({ migrated: true });
		direct = await openPostgres(database.url);
		await fillTables(direct);
		pooler = await startPooler(Number(new URL(database.url).port));
		const url = new URL(database.url);
		url.host = `127.0.0.1:${pooler.port}`;
		pooled = await openPostgres(url.href);
		await pooled.keepPlans(KEPT_STATEMENTS);
	});
	after(async () => {
		await pooled.close();
		await pooler.close();
		await direct.close();
		await database.drop();
	});

	async function factsOn({ queries }: Engine): Promise<AccessFacts[]> {
		const facts = createAccessFactStore(queries, async () => 0);
		const ofUsers = idsOf("users").flatMap((user) =>
			idsOf("applications").map((app) => facts.load(TENANT, user, app)),
		);
		const callers = [...idsOf("api_clients"), CLIENT].map((id) => ({ kind: "api_client" as const, id }));
		const programs = idsOf("applications").map((id) => ({ kind: "program" as const, id }));
		const ofCallers = [...callers, ...programs].map((caller) => facts.loadOfCaller(TENANT, caller, APP));
		return Promise.all([...ofUsers, ...ofCallers, facts.load("other", "users-7", APP)]);
	}

	test("have a function for each statement", async () => {
		const rows = await direct.queries.all("SELECT 1 FROM pg_proc WHERE proname LIKE 'latchkey\\_%'");
		assert.equal(rows.length, KEPT_STATEMENTS.length);
	});

	test("return the same rows, with the same types", async () => {
		const keys = ["sessions-7", "api_key-7", "oauth_grants-7", APP, "applications-7", "missing"];
		for (const statement of KEPT_STATEMENTS.filter(({ text }) => !text.includes("$2"))) {
			const rows = ({ queries }: Engine): Promise<object[][]> =>
				Promise.all(keys.map((key) => queries.all<object>(statement, key)));
			const expected = await rows(direct);
			assert.ok(expected.flat().length > 0, statement.text);
			assert.deepEqual(await rows(pooled), expected, statement.text);
		}
	});

	for (const change of [undefined, ...CHANGES])
		test(`return the same facts ${change === undefined ? "of filled tables" : `after ${change.split("\n", 1)[0]}`}`, async () => {
			if (change !== undefined) assert.ok((await direct.queries.run(change)) > 0);
			const expected = await factsOn(direct);
			assert.ok(new Set(expected.map((facts) => JSON.stringify(facts))).size > 5);
			assert.deepEqual(await factsOn(pooled), expected);
		});
});
