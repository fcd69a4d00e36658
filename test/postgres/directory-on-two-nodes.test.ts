// A leaver on two nodes: the call under way when the directory disables the person is the last one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { addPerson } from "../harness/people/people.ts";
import { addDirectory } from "../harness/providers/directories.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

describe("a leaver on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({ poolSize: 6, env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "0" } });
	test("is refused everywhere once the directory has its response", async () => {
		const [first, second] = nodes;
		const directory = await addDirectory(first);
		const person = await addPerson(first, "leaver");
		await first.asAdmin("POST", `/api/v1/users/${person.id}/third-party-accounts`, {
			provider: directory.provider,
			provider_user_id: "leaver",
		});
		await directory.person("leaver@corp.example", { externalId: "leaver" });
		const statuses: { readonly at: number; readonly status: number }[] = [];
		let isOver = false;
		const calling = nodes.map(async (node) => {
			while (!isOver) {
				const at = performance.now();
				const { status } = await node.call("GET", "/api/v1/users/me", { token: person.token });
				statuses.push({ at, status });
			}
		});
		await new Promise((resolve) => setTimeout(resolve, 100));
		const disabled = await directory.patch(`Users/${person.id}`, {
			op: "Replace",
			path: "active",
			value: "False",
		});
		const disabledAt = performance.now();
		assert.equal(disabled.status, 200);
		await new Promise((resolve) => setTimeout(resolve, 300));
		isOver = true;
		await Promise.all(calling);
		assert.ok(statuses.some(({ status }) => status === 200));
		const late = statuses.filter(({ at, status }) => status === 200 && at > disabledAt);
		assert.deepEqual(late, [], "a call that began after the response passed");
		assert.equal((await second.call("GET", "/api/v1/users/me", { token: person.token })).status, 401);
	});
});
