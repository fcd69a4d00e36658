// A set-up link is finished at one node while an administrator replaces it at another.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { problemOf } from "../harness/access/applications.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase } from "../harness/databases/test-engine.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const LINKS = "/api/v1/identity-providers/set-up-links";
const DOMAIN = "customer.example";
const WAITING =
	"SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

describe("a set-up link on PostgreSQL", { skip: POSTGRES_SKIPPED }, () => {
	const database = fixture(() => createPostgresDatabase({ migrated: true }), "drop");
	const service = testService(() => {
		const env = {
			LATCHKEY_DATABASE_URL: database.url,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
		};
		return { env };
	});
	const beside = fixture(() => openBeside(service), "close");

	test("is not replaced by a request that began before it was finished", async () => {
		await service.asAdmin("POST", LINKS, { domain: DOMAIN });
		const { id: issuerId, tenant_id: tenantId } = await addProvider(service, { enabled: false });
		const [{ id: linkId = "" } = {}] = await beside.db.stores.setUpLinks.listAll(tenantId);
		const now = service.clock.now();
		await beside.db.transaction(async ({ setUpLinks, domains }) => {
			await setUpLinks.change(tenantId, linkId, { issuerId, testedAtMs: now }, now);
			const { id = "" } = (await domains.find(tenantId, DOMAIN)) ?? {};
			await domains.update(tenantId, id, { issuerId }, now);
		});
		let replacing: ReturnType<typeof problemOf> | undefined;
		await beside.db.transaction(async ({ setUpLinks }) => {
			assert.ok(await setUpLinks.finish(tenantId, linkId, now));
			replacing = problemOf(service, "POST", LINKS, { domain: DOMAIN });
			await eventually(
				async () => (await beside.engine.queries.all<{ waiting: number }>(WAITING))[0]?.waiting,
				(waiting) => Number(waiting) === 1,
			);
		});
		assert.equal((await replacing)?.code, "set_up.done");
		assert.equal((await beside.db.stores.setUpLinks.findByIssuer(tenantId, issuerId))?.finishedAtMs, now);
	});
});
