// The brand of a tenant on pages and in mails.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submit } from "../harness/access/access-requests.ts";
import { problemOf } from "../harness/access/applications.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { addTenant } from "../harness/people/tenants.ts";
import { testService } from "../harness/runs/fixture.ts";

const BRANDING = "/api/v1/branding";

const service = testService({
	env: {
		LATCHKEY_BRAND_NAME: "Engines",
		LATCHKEY_BRAND_COLOR: "#FFCC00",
		LATCHKEY_SUPPORT_EMAIL: "help@engines.example",
		LATCHKEY_MAIL_FROM: "Engine Accounts <no-reply@engines.example>",
	},
});

describe("GET /api/v1/branding", () => {
	describe("200", () => {
		it("returns the brand of the installation if the tenant has none", async () => {
			const { id } = await addTenant(service);
			const response = await service.call("GET", BRANDING, { headers: { "x-tenant-id": id } });
			assert.equal(response.status, 200);
			assert.deepEqual(response.body.data, {
				product_name: "Engines",
				logo_url: "",
				logo_dark_url: "",
				icon_url: "",
				accent_color: "#ffcc00",
				on_accent_color: "#000000",
				support_email: "help@engines.example",
				sender_name: "Engine Accounts",
				sender_address: "no-reply@engines.example",
				sign_in_text: "",
				footer_links: [],
				corner_radius: null,
				customized: [],
			});
			assert.deepEqual(
				[response.headers["cache-control"], response.headers.vary],
				["public, max-age=300", "X-Tenant-ID"],
			);
		});

		it("returns the brand of the tenant", async () => {
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
		});
	});
});

describe("PUT /api/v1/branding", () => {
	const put = async (body: object) => service.callAsAdmin("PUT", BRANDING, { body });

	describe("200", () => {
		it("brands the mails of the tenant, and audits it", async () => {
			const brand = {
				product_name: "Looms & Co",
				logo_url: "https://looms.example/logo.png",
				logo_dark_url: "https://looms.example/dark.png",
				icon_url: "https://looms.example/icon.png",
				accent_color: "#ffcc00",
				support_email: "help@looms.example",
				sender_name: "Looms Accounts",
				sender_address: "no-reply+looms@engines.example",
				sign_in_text: "Use the account of your mill.",
				footer_links: [
					{ label: "Privacy", url: "https://looms.example/privacy" },
					{ label: "Contact", url: "mailto:help@looms.example" },
				],
				corner_radius: 0,
			};
			const response = await put(brand);
			assert.equal(response.status, 200);
			assert.deepEqual(response.body.data, {
				...brand,
				on_accent_color: "#000000",
				customized: Object.keys(brand),
			});
			const { email } = await submit(service);
			const [mail] = await service.mailsTo(email);
			assert.deepEqual(mail?.from, { name: "Looms Accounts", address: "no-reply+looms@engines.example" });
			assert.match(mail?.html ?? "", /<img src="https:\/\/looms\.example\/logo\.png" alt="Looms &amp; Co"/);
			assert.match(mail?.html ?? "", /background:#ffcc00;color:#000000;/);
			assert.match(mail?.text ?? "", /^Looms & Co · help@looms\.example$/m);
			const me = await service.callAsAdmin("GET", "/api/v1/users/me");
			const event = (await auditOf(service, `tenant:${me.body.data.tenant_id}`)).at(-1);
			assert.equal(event?.action, "tenant.branding_updated");
		});

		it("audits changed fields, and nothing without a change", async () => {
			await put({ product_name: "Spindles", accent_color: "#ffcc00" });
			const events = async () => {
				const path = "/api/v1/audit-events?action=tenant.branding_updated";
				return await service.asAdmin("GET", path);
			};
			const before = await events();
			assert.equal((await put({ product_name: "Spindles", accent_color: "#ffcc00" })).status, 200);
			assert.equal((await events()).length, before.length);
			await put({ product_name: "Spindles", accent_color: "#0b6b3a" });
			const { details, changes } = (await events())[0] ?? {};
			assert.deepEqual(details, { fields: ["accent_color"] });
			assert.deepEqual(changes, { accent_color: { from: "#ffcc00", to: "#0b6b3a" } });
		});

		it("audits links as texts, and nothing if the same are sent again", async () => {
			const footer_links = [{ label: "Terms", url: "https://looms.example/terms" }];
			await put({});
			await put({ footer_links, corner_radius: 12 });
			await put({ footer_links, corner_radius: 12 });
			const events = await service.asAdmin("GET", "/api/v1/audit-events?action=tenant.branding_updated");
			assert.deepEqual(events[0]?.changes, {
				footer_links: { from: [], to: ["Terms https://looms.example/terms"] },
				corner_radius: { from: null, to: 12 },
			});
		});

		it("resets omitted fields to the brand of the installation", async () => {
			const response = await put({ product_name: "Looms" });
			const { product_name, logo_url, sender_name, sender_address } = response.body.data;
			assert.deepEqual(
				[product_name, logo_url, sender_name, sender_address],
				["Looms", "", "Engine Accounts", "no-reply@engines.example"],
			);
		});
	});

	describe("200, with an address that a platform admin has listed", () => {
		it("sends from it while it is listed", async () => {
			const tenant = await addSecondTenant(service);
			const sender_address = "shop@looms.example";
			const list = (sender_addresses: string[]) =>
				service.asAdmin("PATCH", `/api/v1/tenants/${tenant.id}`, { sender_addresses });
			const choose = () =>
				service.call("PUT", BRANDING, { token: tenant.adminToken, body: { sender_address } });
			assert.equal((await choose()).status, 400);
			assert.deepEqual((await list(["Shop@Looms.example"])).sender_addresses, [sender_address]);
			const chosen = await choose();
			assert.deepEqual([chosen.status, chosen.body.data.sender_address], [200, sender_address]);
			const senderOf = async () => {
				const { email } = await submit(service, {}, { "x-tenant-id": tenant.id });
				const [mail] = await service.mailsTo(email);
				return mail?.from?.address;
			};
			assert.equal(await senderOf(), sender_address);
			await list([]);
			assert.equal(await senderOf(), "no-reply@engines.example");
		});
	});

	describe("403", () => {
		it("refuses another sender address by an admin key, and accepts the rest", async () => {
			const { key: token } = await addAdminKey(service, { roles: ["admin"] });
			const byKey = (body: object) => service.call("PUT", BRANDING, { token, body });
			const sender_address = "no-reply+key@engines.example";
			assert.equal((await byKey({ product_name: "Looms", sender_address })).status, 403);
			assert.equal((await byKey({ product_name: "By key" })).status, 200);
			assert.equal((await put({ sender_address })).status, 200);
			assert.equal((await byKey({ product_name: "By key", sender_address })).status, 200);
			assert.equal((await byKey({ sender_address: "no-reply@engines.example" })).status, 403);
			assert.equal((await byKey({})).body.data.sender_address, "no-reply@engines.example");
		});
	});

	describe("400", () => {
		for (const [field, value] of [
			["logo_url", "http://looms.example/logo.png"],
			["sender_address", "ceo@bank.example"],
			["sender_address", "ceo@engines.example"],
			["sender_address", "x@sub.engines.example"],
			["sender_address", "no-reply+x@sub.engines.example"],
			["logo_dark_url", "http://looms.example/logo.png"],
		] as const)
			it(`refuses ${field} ${value.slice(0, 40)}`, async () => {
				const { status, fields } = await problemOf(service, "PUT", BRANDING, { [field]: value });
				assert.deepEqual([status, fields], [400, [field]]);
			});

		const link = { label: "Terms", url: "https://looms.example/terms" };
		for (const [what, body, field] of [
			["a script", { footer_links: [{ ...link, url: "javascript:alert(1)" }] }, "footer_links.0.url"],
			["plain HTTP", { footer_links: [{ ...link, url: "http://looms.example" }] }, "footer_links.0.url"],
			[
				"headers of a mail",
				{ footer_links: [{ ...link, url: "mailto:a@b.example?bcc=c@d.example" }] },
				"footer_links.0.url",
			],
		] as const)
			it(`refuses ${what}`, async () => {
				const { status, fields } = await problemOf(service, "PUT", BRANDING, body);
				assert.deepEqual([status, fields], [400, [field]]);
			});
	});
});
