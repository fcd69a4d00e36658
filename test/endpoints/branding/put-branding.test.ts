import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { submit } from "../../harness/access-requests.ts";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const BRANDING = "/api/v1/branding";

describe("PUT /api/v1/branding", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_MAIL_FROM: "Engines <no-reply@engines.example>" } });
		cast = await addCast(service);
	});
	after(() => service.stop());

	const put = (body: object) => service.call("PUT", BRANDING, { token: cast.admin, body });

	describe("200", () => {
		it("brands the mails of the tenant, and audits it", async () => {
			const brand = {
				product_name: "Looms & Co",
				logo_url: "https://looms.example/logo.png",
				accent_color: "#ffcc00",
				support_email: "help@looms.example",
				sender_name: "Looms Accounts",
				sender_address: "looms@engines.example",
			};
			const answer = await put(brand);
			assert.equal(answer.status, 200);
			assert.deepEqual(answer.body.data, {
				...brand,
				on_accent_color: "#000000",
				customized: Object.keys(brand),
			});
			const { email } = await submit(service);
			const [mail] = await service.mailsTo(email);
			assert.deepEqual(mail?.from, { name: "Looms Accounts", address: "looms@engines.example" });
			assert.match(mail?.html ?? "", /<img src="https:\/\/looms\.example\/logo\.png" alt="Looms &amp; Co"/);
			assert.match(mail?.html ?? "", /background:#ffcc00;color:#000000;/);
			assert.match(mail?.text ?? "", /^Looms & Co · help@looms\.example$/m);
			const me = await service.call("GET", "/api/v1/users/me", { token: cast.admin });
			const event = (await auditOf(service, `tenant:${me.body.data.tenant_id}`)).at(-1);
			assert.equal(event?.action, "tenant.branding_updated");
		});

		it("audits the changed fields, and nothing when nothing changed", async () => {
			await put({ product_name: "Spindles", accent_color: "#ffcc00" });
			const events = async () => {
				const path = "/api/v1/audit-events?action=tenant.branding_updated";
				return (await service.call("GET", path, { token: cast.admin })).body.data;
			};
			const before = await events();
			assert.equal((await put({ product_name: "Spindles", accent_color: "#ffcc00" })).status, 200);
			assert.equal((await events()).length, before.length);
			await put({ product_name: "Spindles", accent_color: "#0b6b3a" });
			const { details, changes } = (await events())[0] ?? {};
			assert.deepEqual(details, { fields: ["accent_color"] });
			assert.deepEqual(changes, { accent_color: { from: "#ffcc00", to: "#0b6b3a" } });
		});

		it("replaces all of it: what is left out is the installation's again", async () => {
			const answer = await put({ product_name: "Looms" });
			const { product_name, logo_url, sender_name, sender_address } = answer.body.data;
			assert.deepEqual(
				[product_name, logo_url, sender_name, sender_address],
				["Looms", "", "Engines", "no-reply@engines.example"],
			);
		});
	});

	describe("400", () => {
		for (const [field, value] of [
			["logo_url", "http://looms.example/logo.png"],
			["logo_url", "javascript:alert(1)"],
			["accent_color", "red"],
			["accent_color", "#FFCC00;x"],
			["support_email", "a@b.example, c@d.example"],
			["sender_address", "ceo@bank.example"],
			["sender_address", "x@sub.engines.example"],
			["product_name", "x".repeat(61)],
		] as const)
			it(`refuses ${field} ${value.slice(0, 40)}`, async () => {
				const { status, fields } = await problemOf(service, "PUT", BRANDING, { [field]: value });
				assert.deepEqual([status, fields], [400, [field]]);
			});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PUT", BRANDING, {}));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PUT", BRANDING, {});
		});
	});
});
