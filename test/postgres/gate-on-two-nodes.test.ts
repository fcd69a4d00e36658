// A gate on two nodes with one database: a signed call passes once, and what ends on one node ends on both at once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import {
	ask,
	BEHIND_PROXY,
	browserCookie,
	type KeyedGate,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { addPerson } from "../harness/people/people.ts";
import type { TestService } from "../harness/service/service.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

const CALLS = 1_000;
const AT_ONCE = 20;
const RULES = [{ path: "/orders/*", needs: "orders:read" }];

describe("a gate on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({ env: BEHIND_PROXY });

	/** An API with a partner and a person who read orders. */
	async function shop() {
		const [node] = nodes;
		const { id } = await addApplication(node, { access_policy: "assigned" });
		await addRole(node, id, "reader", ["orders:read"]);
		const gate = (await addGate(node, { rules: RULES }, id)) as KeyedGate;
		const partner = await addApiClient(node, { app_id: id, name: "Till" });
		const grant = `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`;
		await node.asAdmin("PUT", grant, { roles: ["reader"] });
		return { id, gate, partner, grant };
	}
	const everywhere = (gate: KeyedGate, headersOf: (node: TestService) => Record<string, string>) =>
		Promise.all(
			nodes.map(async (node) => (await ask(node, gate, "/orders/1", { headers: headersOf(node) })).outcome),
		);

	test(`of ${CALLS} signed calls that arrive at both at once, each passes once`, async () => {
		const { gate, partner } = await shop();
		const counts = new Map<string, number>();
		const send = async (number: number): Promise<void> => {
			const target = `/orders/${number}`;
			const headers = signedCall(nodes[0], partner, target);
			const copies = await Promise.all(nodes.map((node) => ask(node, gate, target, { headers })));
			const key = copies
				.map(({ outcome }) => outcome)
				.sort()
				.join(", ");
			counts.set(key, (counts.get(key) ?? 0) + 1);
		};
		for (let first = 0; first < CALLS; first += AT_ONCE)
			await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => send(first + offset)));
		const once = `200 partner:${partner.id}, 401 nonce.reused`;
		assert.deepEqual(Object.fromEntries(counts), { [once]: CALLS });
	});

	test("refuses a partner without its role, and a disabled client, at the next request to either", async () => {
		const { gate, partner, grant } = await shop();
		const [first] = nodes;
		const outcomes = () => everywhere(gate, (node) => signedCall(node, partner, "/orders/1"));
		const passed = `200 partner:${partner.id}`;
		assert.deepEqual(await outcomes(), [passed, passed]);
		await first.asAdmin("PUT", grant, { roles: [] });
		const denied = "403 application.access_denied";
		assert.deepEqual(await outcomes(), [denied, denied]);
		await first.asAdmin("PUT", grant, { roles: ["reader"] });
		assert.deepEqual(await outcomes(), [passed, passed]);
		await first.asAdmin("PATCH", `/api/v1/api-clients/${partner.id}`, { status: "disabled" });
		const unknown = "401 signature.invalid";
		assert.deepEqual(await outcomes(), [unknown, unknown]);
	});

	test("refuses an ended session, a removed rule, and a replaced key at the next request to either", async () => {
		const { id, gate } = await shop();
		const [first, second] = nodes;
		const person = await addPerson(first, "gate-visitor");
		await putGrant(first, id, person.id, ["reader"]);
		const cookie = await browserCookie(first, person);
		const outcomes = () => everywhere(gate, () => ({ cookie }));
		const passed = `200 person:${person.id}`;
		assert.deepEqual(await outcomes(), [passed, passed]);
		await second.asAdmin("POST", `/api/v1/users/${person.id}/sessions/revoke`);
		assert.deepEqual(await outcomes(), ["401 session.ended", "401 session.ended"]);
		await second.asAdmin("PUT", `${APPLICATIONS}/${id}/gate`, { rules: [] });
		assert.deepEqual(await outcomes(), ["403 gate.no_rule", "403 gate.no_rule"]);
		await second.asAdmin("POST", `${APPLICATIONS}/${id}/gate/regenerate-key`, {});
		assert.deepEqual(await outcomes(), ["401 gate.key", "401 gate.key"]);
	});
});
