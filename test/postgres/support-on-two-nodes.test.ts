// A support session on two nodes with one database: what ends it on one node ends it on both at once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { APPLICATIONS, addRole, putGrant } from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { connect, startOpenIdService } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSupporter, createSupport, openSupport, SUPPORT } from "../harness/people/support.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

describe("a support session on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({ poolSize: 6, env: BEHIND_PROXY, start: startOpenIdService });
	test("opens once, and ends on both with the role, the person, the application, or by a call", async () => {
		const [first, second] = nodes;
		const resource = "https://billing.example/api";
		const { id: appId } = await connect(first, { resource });
		await addRole(first, appId, "reader", ["invoices:read"]);
		const allow = (support_sessions: boolean) =>
			first.asAdmin("PATCH", `${APPLICATIONS}/${appId}`, { support_sessions });
		const rules = [{ path: "/invoices/*", needs: "invoices:read" }];
		const gate = (await addGate(first, { rules }, appId)) as KeyedGate;
		const patch = (id: string, body: object) => first.asAdmin("PATCH", `/api/v1/users/${id}`, body);

		type Opened = { readonly id: string; readonly supporter: string; readonly person: string };
		const ends: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
			role: ({ supporter }) => patch(supporter, { roles: [] }),
			account: ({ supporter }) => patch(supporter, { status: "disabled" }),
			person: ({ person }) => patch(person, { status: "disabled" }),
			privilege: ({ person }) => patch(person, { roles: ["auditor"] }),
			call: async ({ id }) => {
				const token = await first.adminToken();
				assert.equal((await first.call("DELETE", `${SUPPORT}/${id}`, { token })).status, 204);
			},
		};
		for (const [what, end] of Object.entries(ends)) {
			await allow(true);
			const ada = await addPerson(first, `ada-${what}`);
			await putGrant(first, appId, ada.id, ["reader"]);
			const sam = await addSupporter(first, `sam-${what}`);
			const { id, token } = await createSupport(first, sam, ada.id, { app_id: appId });
			const both = await Promise.all(nodes.map((node) => openSupport(node, sam.session, token)));
			assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404], what);
			const opened = both.find(({ status }) => status === 200)?.body.data;
			assert.ok(opened);
			const authorization = `Bearer ${opened.application?.access_token}`;
			const outcomes = () =>
				Promise.all(
					[first, second].map(async (node) => [
						(await node.call("GET", "/api/v1/users/me", { token: opened.access_token })).status,
						(await ask(node, gate, "/invoices/1", { headers: { authorization } })).outcome,
					]),
				);
			const passed = [200, `200 person:${ada.id}`];
			// Twice, so that both nodes have read every row before.
			for (let round = 0; round < 2; round++) assert.deepEqual(await outcomes(), [passed, passed], what);
			await allow(false);
			const closed = [200, "401 token.invalid"];
			assert.deepEqual(await outcomes(), [closed, closed], what);
			await allow(true);
			assert.deepEqual(await outcomes(), [passed, passed], what);
			await end({ id, supporter: sam.id, person: ada.id });
			const over = [401, "401 token.invalid"];
			assert.deepEqual(await outcomes(), [over, over], what);
		}
	});
});
