// Two nodes on one database: each item of a review is decided once, and ended once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApplication } from "../harness/access/applications.ts";
import { addReview, itemsOf, REVIEWS, runReviewJob } from "../harness/access/reviews.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { atDepth } from "../harness/runs/depth.ts";
import type { TestService } from "../harness/service/service.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

const PARTNERS = atDepth({ quick: 200, all: 300, long: 1_000 });

describe("a review on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({ env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "100000" } });

	test("each partner is decided by one of two reviewers, and disabled once", async () => {
		const [one, two] = nodes;
		const { id: appId, tenant_id: tenantId } = await addApplication(one);
		const engine = await one.openDatabase();
		await engine.queries.run(
			`INSERT INTO api_clients (id, tenant_id, app_id, mode, name, name_folded, api_key, secret_hint, status, scopes,
				ip_allowlist, ip_allowlist_mode, last_used_ip, created_at, updated_at)
			 SELECT '01900000-0000-7000-8000-' || lpad(CAST(n AS TEXT), 12, '0'), CAST($1 AS TEXT), CAST($2 AS TEXT), 'live',
				'Partner ' || n, 'partner ' || n, 'key-' || n, '', 'active', '[]', '[]', 'enforce', '', n, n
			 FROM generate_series(1, CAST($3 AS INTEGER)) AS n`,
			tenantId,
			appId,
			PARTNERS,
		);
		const review = await addReview(one, { subject: "partners", app_id: appId });
		assert.equal(review.total, PARTNERS);
		const items = await itemsOf(one, review.id);
		const reviewers: readonly Person[] = [
			await addPerson(one, "first.reviewer", { roles: ["admin"] }),
			await addPerson(two, "second.reviewer", { roles: ["admin"] }),
		];
		let decided = 0;
		const work = async (node: TestService, { token }: Person, order: typeof items) => {
			for (const { id } of order) {
				const { status } = await node.call("POST", `${REVIEWS}/${review.id}/items/${id}`, {
					token,
					body: { decision: "end" },
				});
				assert.ok(status === 200 || status === 409, String(status));
				if (status === 200) decided += 1;
			}
		};
		await Promise.all([
			work(one, reviewers[0] as Person, items),
			work(two, reviewers[1] as Person, items.toReversed()),
			work(two, reviewers[0] as Person, items.slice(PARTNERS / 4)),
		]);
		assert.equal(decided, PARTNERS, "each item once");
		const { ended, open } = await one.asAdmin("GET", `${REVIEWS}/${review.id}`);
		assert.deepEqual([ended, open], [PARTNERS, 0]);
		const path = `${REVIEWS}/${review.id}/close` as const;
		const closes = await Promise.all(
			nodes.map(async (node) => (await node.call("POST", path, { token: await node.adminToken() })).status),
		);
		assert.deepEqual(closes.toSorted(), [200, 409], "one closes it");
		await Promise.all(nodes.map((node) => runReviewJob(node)));
		await runReviewJob(one);
		assert.equal((await two.asAdmin("GET", `${REVIEWS}/${review.id}`)).status, "closed");
		const count = async (sql: string) => (await engine.queries.one<{ total: number }>(sql, tenantId))?.total;
		const disabled = "SELECT count(*) AS total FROM api_clients WHERE tenant_id = $1 AND status = 'disabled'";
		assert.equal(await count(disabled), PARTNERS);
		for (const action of ["api_client.updated", "review.item_ended"]) {
			const events = `SELECT count(*) AS total FROM audit_events WHERE tenant_id = $1 AND action = '${action}'`;
			assert.equal(await count(events), PARTNERS, action);
		}
		await engine.close();
	});
});
