import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, WEBHOOKS } from "../../harness/webhooks.ts";

describe("GET /api/v1/webhooks", () => {
	let service: TestService;
	let cast: Cast;
	const path = WEBHOOKS;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	describe("200", () => {
		it("pages through the tenant's webhooks, newest first, without secrets", async () => {
			const ids: string[] = [];
			for (let count = 0; count < 3; count++) ids.push((await addWebhook(service)).id);
			const answer = await service.call("GET", `${path}?page=1&page_size=2`, { token: cast.auditor.token });
			assert.equal(answer.status, 200);
			const { data, ...counts } = answer.body;
			assert.deepEqual(counts, { total: 3, page: 1, page_size: 2 });
			assert.deepEqual(
				data.map(({ id }) => id),
				[ids[2], ids[1]],
			);
			assert.ok(!JSON.stringify(data).includes("whsec_"));
			const other = await service.call("GET", path, { token: cast.other.adminToken });
			assert.equal(other.body.total, 0);
		});

		it("filters by status", async () => {
			const { id } = await addWebhook(service);
			await service.call("PATCH", `${path}/${id}`, { token: cast.admin, body: { status: "disabled" } });
			const answer = await service.call("GET", `${path}?status=disabled`, { token: cast.admin });
			assert.deepEqual(
				answer.body.data.map((webhook) => webhook.id),
				[id],
			);
		});
	});

	describe("400", () => {
		it("names the parameter", async () => {
			for (const [query, field] of [
				["status=gone", "status"],
				["page=0", "page"],
				["page_size=101", "page_size"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${path}?${query}`);
				assert.deepEqual([status, fields], [400, [field]], query);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path));
	});

	describe("403", () => {
		it("is for admins and auditors", () => {
			const { reviewer, plain } = cast;
			return assertForbidden(service, [reviewer, plain], "GET", path);
		});
	});
});
