// The same audit event is restored on two nodes with one database and the smallest pools, while its record changes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApplication, addRole } from "../harness/access/applications.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { atDepth } from "../harness/runs/depth.ts";
import type { TestService } from "../harness/service/service.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

const ROUNDS = atDepth({ quick: 3, all: 8, long: 60 });

describe("restoring on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({ poolSize: 2 });
	test("writes one event, and overwrites no change that it did not show", async () => {
		const [first, second] = nodes;
		const tokens = await Promise.all(nodes.map((node) => node.adminToken()));
		const [token = "", other = ""] = tokens;
		const { id: appId } = await addApplication(first);
		for (let round = 0; round < ROUNDS; round++) {
			const role = await addRole(first, appId, `role${round}`, ["a:read"]);
			const path = `/api/v1/applications/${appId}/roles/${role.id}`;
			await first.call("PATCH", path, { token, body: { permissions: [] } });
			const query = `/api/v1/audit-events?target=application_role:${role.id}` as const;
			const event = (await first.call("GET", query, { token })).body.data[0];
			const restore = (node: TestService, token: string) =>
				node.call("POST", `/api/v1/audit-events/${event?.id}/restore`, { token, body: {} });
			// Every second round, another change comes in between: either it is restored over, and follows, or it is refused.
			const change = async () =>
				round % 2 === 0
					? undefined
					: second.call("PATCH", path, { token: other, body: { permissions: ["b:write"] } });
			const [changed, ...restored] = await Promise.all([
				change(),
				...nodes.flatMap((node, index) => [1, 2, 3].map(() => restore(node, tokens[index] as string))),
			]);
			assert.ok(changed === undefined || changed.status === 200);
			for (const { status } of restored)
				assert.ok(status === 200 || (changed && status === 409), `${status}`);
			const written = restored.filter(({ status, body }) => status === 200 && body.data.event_id !== null);
			const events = (await first.call("GET", query, { token })).body.data.toReversed();
			assert.ok(changed ? written.length <= 1 : written.length === 1, `${written.length} restored`);
			assert.equal(events.filter(({ details }) => "restores" in details).length, written.length);
			let last: unknown;
			for (const { details, changes } of events.filter(({ action }) => action.endsWith("updated"))) {
				const { from, to } = changes.permissions as { readonly from: unknown; readonly to: unknown };
				if ("restores" in details) assert.deepEqual(from, last, "a change in between was overwritten");
				last = to;
			}
		}
		const chain = await first.call("GET", "/api/v1/audit-events/chain", { token });
		assert.equal(chain.body.data.broken_at, null);
	});
});
