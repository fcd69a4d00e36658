import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID } from "../../harness/applications.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const BRANDING = "/api/v1/branding";

describe("GET /api/v1/branding", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService({
			env: {
				LATCHKEY_BRAND_NAME: "Engines",
				LATCHKEY_BRAND_COLOR: "#FFCC00",
				LATCHKEY_SUPPORT_EMAIL: "help@engines.example",
			},
		});
	});
	after(() => service.stop());

	describe("200", () => {
		it("gives everybody the installation's brand where the tenant has none", async () => {
			const answer = await service.call("GET", BRANDING);
			assert.equal(answer.status, 200);
			assert.deepEqual(answer.body.data, {
				product_name: "Engines",
				logo_url: "",
				accent_color: "#ffcc00",
				on_accent_color: "#000000",
				support_email: "help@engines.example",
				sender_name: "Latchkey",
				sender_address: "no-reply@localhost",
				customized: [],
			});
			assert.deepEqual(
				[answer.headers["cache-control"], answer.headers.vary],
				["public, max-age=300", "X-Tenant-ID"],
			);
		});

		it("gives each tenant its own", async () => {
			const other = await addSecondTenant(service);
			const headers = { "x-tenant-id": other.id };
			const body = { product_name: "Looms", accent_color: "#0b6b3a" };
			const put = await service.call("PUT", BRANDING, { token: other.adminToken, body });
			assert.equal(put.status, 200);
			const { data } = (await service.call("GET", BRANDING, { headers })).body;
			assert.deepEqual(
				[data.product_name, data.accent_color, data.on_accent_color, data.support_email],
				["Looms", "#0b6b3a", "#ffffff", "help@engines.example"],
			);
			assert.deepEqual(data.customized, ["product_name", "accent_color"]);
			assert.equal((await service.call("GET", BRANDING)).body.data.product_name, "Engines");
		});
	});

	describe("404", () => {
		it("does not know the tenant", async () => {
			const headers = { "x-tenant-id": ABSENT_ID };
			assert.equal((await service.call("GET", BRANDING, { headers })).status, 404);
		});
	});
});
