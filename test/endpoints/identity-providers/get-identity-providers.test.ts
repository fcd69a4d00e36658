import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addCast, assertForbidden, assertUnauthenticated, type Cast } from "../../harness/applications.ts";
import { addProvider, IDENTITY_PROVIDERS } from "../../harness/identity-providers.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/identity-providers", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	describe("200", () => {
		it("lists the tenant's providers, newest first, for admins and auditors", async () => {
			const providers = [await addProvider(service), await addProvider(service, { enabled: false })];
			await addProvider(service, {}, cast.other.adminToken);
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", IDENTITY_PROVIDERS, { token });
				assert.equal(status, 200);
				assert.deepEqual(body, { data: providers.toReversed(), total: 2, page: 1, page_size: 20 });
			}
			const second = await service.call("GET", `${IDENTITY_PROVIDERS}?page=2&page_size=1`, {
				token: cast.admin,
			});
			assert.deepEqual([second.body.data, second.body.total], [[providers[0]], 2]);
		});
	});

	describe("400", () => {
		it("refuses an invalid page", async () => {
			const path = `${IDENTITY_PROVIDERS}?page_size=101`;
			assert.equal((await service.call("GET", path, { token: cast.admin })).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", IDENTITY_PROVIDERS));
	});

	describe("403", () => {
		it("is for admins and auditors", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", IDENTITY_PROVIDERS));
	});
});
