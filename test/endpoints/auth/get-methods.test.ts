import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addProvider } from "../../harness/identity-providers.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addTenant } from "../../harness/tenants.ts";

const PATH = "/api/v1/auth/methods";

describe("GET /api/v1/auth/methods", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("describes the default tenant with its enabled providers", async () => {
			await addProvider(service, { provider: "corp", display_name: "Corp" });
			await addProvider(service, { provider: "off", enabled: false });
			const { status, body } = await service.call("GET", PATH);
			assert.equal(status, 200);
			const { tenant, ...others } = body.data;
			assert.deepEqual([tenant.slug, Object.keys(tenant)], ["default", ["id", "slug", "name"]]);
			assert.deepEqual(others, {
				registration: true,
				passkeys: true,
				providers: [{ provider: "corp", kind: "oidc", display_name: "Corp" }],
			});
		});

		it("finds a tenant by its slug, and by X-Tenant-ID", async () => {
			const other = await addTenant(service);
			const bySlug = await service.call("GET", `${PATH}?tenant=${other.slug}`);
			const byId = await service.call("GET", PATH, { headers: { "x-tenant-id": other.id } });
			assert.deepEqual(bySlug.body, byId.body);
			const { id, slug, name } = other;
			assert.deepEqual(bySlug.body.data.tenant, { id, slug, name });
			assert.deepEqual(bySlug.body.data.providers, []);
		});

		it("says that passkeys need a domain", async () => {
			const byAddress = await startTestService({ env: { LATCHKEY_PUBLIC_URL: "https://192.0.2.7" } });
			const answer = await byAddress.call("GET", PATH);
			await byAddress.stop();
			assert.equal(answer.body.data.passkeys, false);
		});
	});

	describe("400", () => {
		it("refuses an empty and a long slug", async () => {
			for (const slug of ["", "x".repeat(65)])
				assert.equal((await service.call("GET", `${PATH}?tenant=${slug}`)).status, 400);
		});
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			const headers = { "x-tenant-id": "nobody" };
			assert.equal((await service.call("GET", `${PATH}?tenant=nobody`)).status, 404);
			assert.equal((await service.call("GET", PATH, { headers })).status, 404);
		});
	});
});
