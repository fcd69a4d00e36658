import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID, assertNotFound, assertUnauthenticated } from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addTenant, TENANTS, tenantAdminToken } from "../../harness/tenants.ts";

describe("GET /api/v1/tenants/{id}", () => {
	let service: TestService;
	let tenant: { id: string };
	before(async () => {
		service = await startTestService();
		const { admin: _, ...rest } = await addTenant(service);
		tenant = rest;
	});
	after(() => service.stop());

	const path = (): string => `${TENANTS}/${tenant.id}`;

	describe("200", () => {
		it("answers the tenant", async () => {
			const { status, body } = await service.call("GET", path(), { token: await service.adminToken() });
			assert.deepEqual([status, body], [200, { data: tenant }]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path()));
	});

	describe("403", () => {
		it("refuses the tenant's own admin", async () => {
			const token = await tenantAdminToken(service, tenant.id);
			assert.equal((await service.call("GET", path(), { token })).status, 403);
		});
	});

	describe("404", () => {
		it("answers absent and malformed ids alike", async () => {
			const token = await service.adminToken();
			const calls = [ABSENT_ID, "x"].map((id) => ({ token, path: `${TENANTS}/${id}` }));
			await assertNotFound(service, calls, "GET", "tenant.not_found");
		});
	});
});
