import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID } from "../../harness/applications.ts";
import { addProvider } from "../../harness/identity-providers.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/third-party/providers";

describe("GET /api/v1/auth/third-party/providers", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("lists enabled providers by name, without credentials", async () => {
			await addProvider(service, { provider: "zeta", display_name: "Zeta" });
			await addProvider(service, { provider: "gh", kind: "github", display_name: "alpha", issuer: null });
			await addProvider(service, { provider: "off", enabled: false });
			const { status, body } = await service.call("GET", PATH);
			assert.equal(status, 200);
			assert.deepEqual(body, {
				data: [
					{ provider: "gh", kind: "github", display_name: "alpha" },
					{ provider: "zeta", kind: "oidc", display_name: "Zeta" },
				],
			});
		});

		it("lists those of the requested tenant", async () => {
			const other = await addSecondTenant(service);
			const answer = await service.call("GET", PATH, { headers: { "x-tenant-id": other.id } });
			assert.deepEqual(answer.body, { data: [] });
		});
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			assert.equal((await service.call("GET", PATH, { headers: { "x-tenant-id": ABSENT_ID } })).status, 404);
		});
	});
});
