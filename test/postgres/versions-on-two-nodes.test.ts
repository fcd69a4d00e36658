// Changes with `If-Match` on two nodes with one database and the smallest pools.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addGroup, GROUPS } from "../harness/access/groups.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { atDepth } from "../harness/runs/depth.ts";
import type { TestService } from "../harness/service/service.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

const ROUNDS = atDepth({ quick: 4, all: 10, long: 100 });

describe("If-Match on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({ poolSize: 2 });
	test("admits one of the changes at the same time", async () => {
		const [first] = nodes;
		const { id } = await addGroup(first);
		const path = `${GROUPS}/${id}` as const;
		const tokens = await Promise.all(nodes.map((node) => node.adminToken()));
		for (let round = 0; round < ROUNDS; round++) {
			const { headers } = await first.call("GET", path, { token: tokens[0] as string });
			const changes = Array.from({ length: 8 }, (_, index) =>
				(nodes[index % 2] as TestService).call("PATCH", path, {
					token: tokens[index % 2] as string,
					body: { description: `${round}.${index}` },
					headers: { "if-match": String(headers.etag) },
				}),
			);
			const responses = await Promise.all(changes);
			const made = responses.filter(({ status }) => status === 200);
			assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
			const now = await first.call("GET", path, { token: tokens[0] as string });
			assert.equal(now.body.data.description, made[0]?.body.data.description);
		}
	});
});
