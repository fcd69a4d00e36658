// Kills the service while it closes a review: what was ended is ended once, and the next run ends the rest.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApplication } from "../harness/access/applications.ts";
import { addReview, itemsOf, REVIEWS, runReviewJob } from "../harness/access/reviews.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { freePorts, startProgram } from "../harness/processes/program.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { createCalls } from "../harness/service/calls.ts";
import { makePlace } from "../harness/service/installation.ts";

const PARTNERS = 400;
const COLUMNS = `id, tenant_id, app_id, mode, name, name_folded, api_key, secret_hint, status, scopes, ip_allowlist,
	ip_allowlist_mode, last_used_ip, created_at, updated_at`;

describe("kill -9 while a review closes", () => {
	const place = fixture(() => makePlace(TEST_ENGINE), "remove");

	test("ends each item once, before or after", async () => {
		const service = await place.serve({ env: {} });
		const { id: appId, tenant_id: tenantId } = await addApplication(service);
		const engine = await service.openDatabase();
		await engine.transaction(async (queries) => {
			for (let number = 0; number < PARTNERS; number++)
				await queries.run(
					`INSERT INTO api_clients (${COLUMNS}) VALUES ($1, $2, $3, 'live', $4, $4, $1, '', 'active', '[]', '[]', 'enforce', '', 1, 1)`,
					`01900000-0000-7000-8000-${String(number).padStart(12, "0")}`,
					tenantId,
					appId,
					`partner ${number}`,
				);
		});
		await engine.close();
		const { id } = await addReview(service, { subject: "partners", app_id: appId, unanswered: "end" });
		const token = await service.adminToken();
		await service.stop();

		const [port, httpsPort] = await freePorts(2);
		const env = { ...place.env, LATCHKEY_PORT: String(port), LATCHKEY_HTTPS_PORT: String(httpsPort) };
		const program = await startProgram({ env });
		const calls = createCalls({ http: port as number, https: httpsPort as number });
		const closing = calls.call("POST", `${REVIEWS}/${id}/close`, { token }).catch(() => undefined);
		for (;;) {
			const shown = await calls.call<{ data: { ended: number } }>("GET", `${REVIEWS}/${id}`, { token });
			if ((shown.body?.data.ended ?? 0) > 0) break;
		}
		program.kill("SIGKILL");
		await closing;
		await program.end();
		calls.close();

		const again = await place.serve({ env: {} });
		const before = await again.asAdmin("GET", `${REVIEWS}/${id}`);
		assert.ok(before.ended > 0 && before.ended < PARTNERS, `killed after ${before.ended} of ${PARTNERS}`);
		assert.equal(before.status, "closing");
		await runReviewJob(again);
		const done = await again.asAdmin("GET", `${REVIEWS}/${id}`);
		assert.deepEqual([done.status, done.ended, done.open], ["closed", PARTNERS, 0]);
		const audits = new Set((await itemsOf(again, id)).map(({ audit_id }) => audit_id));
		assert.equal(audits.size, PARTNERS);
		const database = await again.openDatabase();
		const count =
			"SELECT count(*) AS total FROM audit_events WHERE tenant_id = $1 AND action = 'api_client.updated'";
		assert.equal((await database.queries.one<{ total: number }>(count, tenantId))?.total, PARTNERS);
		await database.close();
		await again.stop();
	});
});
