// Ten thousand grants that end in the same second: both nodes refuse at once, before any job has removed a row.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { type Caller, NODES_SKIPPED, startNodes } from "../harness/processes/nodes.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN, type Credentials } from "../harness/service/service.ts";

const EVALUATIONS = "/access/v1/evaluations";
/** People and applications: each pair has a grant. */
const SIDE = 100;
/** Requests to one node. */
const AT_ONCE = 10;

describe("grants that end at one second", { skip: NODES_SKIPPED }, () => {
	const installation = fixture(() => startNodes(), "remove");

	test("are refused by both nodes within a second, while their rows are still stored", async () => {
		const nodes = installation.nodes.map((node) => node.caller());
		const [one] = nodes as [Caller];
		const { access_token: token } = await one.signIn(ADMIN.username, ADMIN.password);
		const post = async (path: string, body: unknown) => {
			const response = await one.call("POST", `/api/v1${path}`, { token, body });
			assert.equal(response.status, 201, JSON.stringify(response.body));
			return response.body.data;
		};
		const password = "a long enough password";
		const userIds: string[] = [];
		const appIds: string[] = [];
		for (let index = 0; index < SIDE; index++) {
			const username = `ending-${index}`;
			userIds.push((await post("/users", { username, email: `${username}@people.example`, password })).id);
			appIds.push((await post("/applications", { name: `Ending ${index}` })).id);
		}
		const scopes = ["access:check", "access:check:tenant"];
		const client: Credentials = await post("/api-clients", { app_id: appIds[0], name: "Asker", scopes });
		const first = (await one.call("GET", `/api/v1/users/${userIds[0]}`, { token })).body.data;
		const engine = await openPostgres(installation.database.url);
		/** About every grant of one person, at one node. @returns how many are allowed */
		const allowedFor = async (caller: Caller, userId: string): Promise<number> => {
			const evaluations = appIds.map((id) => ({ resource: { type: "application", id } }));
			const subject = { type: "user", id: userId };
			const body = { subject, action: { name: "@access" }, evaluations };
			const response = await caller.signed(client, "POST", EVALUATIONS, { body });
			assert.equal(response.status, 200, JSON.stringify(response.body));
			return response.body.evaluations.filter(({ decision }: { decision: boolean }) => decision).length;
		};
		const allowedAt = async (caller: Caller): Promise<number> => {
			let allowed = 0;
			// More at once would wait for a connection until a busy machine refuses them.
			for (let from = 0; from < SIDE; from += AT_ONCE)
				for (const count of await Promise.all(
					userIds.slice(from, from + AT_ONCE).map((userId) => allowedFor(caller, userId)),
				))
					allowed += count;
			return allowed;
		};
		const began = Date.now();
		assert.deepEqual(await Promise.all(nodes.map(allowedAt)), [0, 0]);
		// Enough time to ask about every grant on both nodes before the end.
		const lifeMs = 4 * (Date.now() - began) + 3_000;
		const endMs = Math.ceil((Date.now() + lifeMs) / 1_000) * 1_000;
		const inserted = await engine.queries.run(
			`INSERT INTO grants (id, tenant_id, app_id, user_id, expires_at, created_at, updated_at)
			 SELECT gen_random_uuid()::text, a.tenant_id, a.id, u.id, CAST($1 AS BIGINT), 1, 1
			 FROM applications a JOIN users u ON u.tenant_id = a.tenant_id
			 WHERE a.tenant_id = $2 AND a.name LIKE 'Ending %' AND u.username LIKE 'ending-%'`,
			endMs,
			first.tenant_id,
		);
		assert.equal(inserted, SIDE * SIDE);
		// Also fills the caches of both nodes.
		assert.deepEqual(await Promise.all(nodes.map(allowedAt)), [SIDE * SIDE, SIDE * SIDE]);
		assert.ok(Date.now() < endMs, "every grant was used before its end");
		await new Promise((resolve) => setTimeout(resolve, endMs - Date.now()));
		// The clock of this machine is that of both nodes, so no request that begins later is accepted.
		const sent = nodes.map((caller) => allowedFor(caller, userIds[0] as string));
		assert.deepEqual(await Promise.all(sent), [0, 0]);
		assert.ok(Date.now() < endMs + 1_000, "within a second");
		assert.deepEqual(await Promise.all(nodes.map(allowedAt)), [0, 0]);
		const row = await engine.queries.one<{ total: number }>(
			"SELECT count(*) AS total FROM grants WHERE expires_at = $1",
			endMs,
		);
		await engine.close();
		assert.ok((row?.total ?? 0) > 0, "no job was needed");
	});
});
