// Uploaded logos of a tenant, and the images that they become.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sha256Hex } from "../../src/crypto/digest.ts";
import { submit } from "../harness/access/access-requests.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { auditOf } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import { chunk, data, END, header, joined, png } from "../harness/runs/png.ts";

const LOGO = "/api/v1/branding/logo";

interface Uploaded {
	/** Of a refusal. */
	readonly error: string;
	readonly data: {
		readonly product_name: string;
		readonly logo_url: string;
		readonly logo_dark_url: string;
		readonly icon_url: string;
		readonly customized: readonly string[];
	};
}

const service = testService();
const upload = async (body: Buffer | string, query = "", type = "image/png") =>
	service.callAsAdmin<Uploaded>("PUT", `${LOGO}${query}`, { body, headers: { "content-type": type } });
const remove = async (query = "") => service.callAsAdmin("DELETE", `${LOGO}${query}`);
const pathOf = (url: string) => new URL(url).pathname;

describe("PUT /api/v1/branding/logo", () => {
	describe("200", () => {
		it("sets the logo of each variant to the URL of its image", async () => {
			for (const [query, field, color] of [
				["", "logo_url", "#112233"],
				["?variant=light", "logo_url", "#223344"],
				["?variant=dark", "logo_dark_url", "#334455"],
				["?variant=icon", "icon_url", "#445566"],
			] as const) {
				const image = png(4, 4, color);
				const { status, body } = await upload(image, query);
				assert.equal(status, 200);
				assert.equal(pathOf(body.data[field]), `/api/v1/images/${sha256Hex(image)}`);
				assert.ok(body.data.customized.includes(field));
				const tenant = await service.callAsAdmin("GET", "/api/v1/users/me");
				const event = (await auditOf(service, `tenant:${tenant.body.data.tenant_id}`)).at(-1);
				assert.equal(event?.action, "tenant.branding_updated");
			}
		});

		it("keeps the other fields of the branding", async () => {
			await service.asAdmin("PUT", "/api/v1/branding", { product_name: "Looms" });
			const { data: brand } = (await upload(png())).body;
			assert.deepEqual([brand.product_name, brand.customized], ["Looms", ["product_name", "logo_url"]]);
			const again = await service.callAsAdmin("PUT", "/api/v1/branding", {
				body: { product_name: "Looms & Co", logo_url: brand.logo_url },
			});
			assert.equal(again.body.data.logo_url, brand.logo_url);
		});

		it("removes metadata", async () => {
			const image = joined(header(4, 2), chunk("tEXt", "Author\0Ada"), data(4, 2), END);
			const { logo_url } = (await upload(image)).body.data;
			assert.equal(pathOf(logo_url), `/api/v1/images/${sha256Hex(png())}`);
		});

		it("shows the logo in mails, with the product name as alternative text", async () => {
			const { logo_url, product_name } = (await upload(png(8, 8))).body.data;
			const { email } = await submit(service);
			const [mail] = await service.mailsTo(email);
			assert.ok(mail?.html?.includes(`<img src="${logo_url}" alt="${product_name.replace("&", "&amp;")}"`));
			assert.ok(!mail?.text?.includes(logo_url));
		});

		it("accepts an admin key, and 64 KiB", async () => {
			const { key: token } = await addAdminKey(service, { roles: ["admin"] });
			const image = joined(
				header(4, 2),
				chunk("tEXt", Buffer.alloc(65_536 - png().length - 12)),
				data(4, 2),
				END,
			);
			assert.equal(image.length, 65_536);
			const headers = { "content-type": "image/png" };
			assert.equal((await service.call("PUT", LOGO, { token, body: image, headers })).status, 200);
		});
	});

	describe("400", () => {
		const SVG = (content: string): string =>
			`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${content}</svg>`;
		const BOMB = `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${SVG("<text>&b;</text>")}`;
		const XXE = `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${SVG("<text>&x;</text>")}`;
		for (const [what, svg] of [
			["a script", SVG("<script>alert(1)</script>")],
			["an event handler", SVG('<rect onload="alert(1)"/>')],
			["HTML", SVG("<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>")],
			["an external use", SVG('<use href="https://evil.example/a.svg#b"/>')],
			["an imported style", SVG("<style>@import 'https://evil.example/a.css';</style>")],
			["a data URI", SVG('<image xlink:href="data:text/html,<script>alert(1)</script>"/>')],
			["an entity bomb", BOMB],
			["an external entity", XXE],
			["nothing else", SVG("<rect/>")],
		] as const)
			it(`refuses SVG with ${what}, under either media type`, async () => {
				const typed = await upload(svg, "", "image/svg+xml");
				assert.deepEqual([typed.status, typed.body.error], [400, "content type must be image/png"]);
				const disguised = await upload(svg);
				assert.deepEqual(
					[disguised.status, disguised.body.error],
					[400, "image must be a complete PNG image without animation"],
				);
			});

		it("refuses another content type, no body, and JSON", async () => {
			for (const type of ["image/jpeg", "application/json", "text/html"])
				assert.equal((await upload(png(), "", type)).status, 400);
			assert.equal((await upload("")).status, 400);
			assert.equal((await upload("{}")).status, 400);
		});

		it("refuses an image of more than 2,048 pixels, an unknown variant, and an unknown parameter", async () => {
			const { status, body } = await upload(joined(header(2049, 1), data(1, 1), END));
			assert.deepEqual(
				[status, body.error],
				[400, "image must be at most 2048 pixels wide and 2048 pixels high"],
			);
			assert.equal((await upload(png(), "?variant=large")).status, 400);
			assert.equal((await upload(png(), "?theme=dark")).status, 400);
		});
	});
});

describe("DELETE /api/v1/branding/logo", () => {
	describe("204", () => {
		it("deletes the image, and its URL", async () => {
			const { logo_dark_url } = (await upload(png(3, 3), "?variant=dark")).body.data;
			assert.equal((await remove("?variant=dark")).status, 204);
			assert.equal((await service.call("GET", pathOf(logo_dark_url))).status, 404);
			const { data: brand } = (await service.call("GET", "/api/v1/branding")).body;
			assert.equal(brand.logo_dark_url, "");
		});
	});

	describe("404", () => {
		it("refuses a variant that was not uploaded", async () => {
			await upload(png(), "?variant=icon");
			assert.equal((await remove("?variant=icon")).status, 204);
			assert.equal((await remove("?variant=icon")).status, 404);
		});
	});
});

describe("GET /api/v1/images/{digest}", () => {
	describe("200", () => {
		it("serves the image publicly, for a year, and only as an image", async () => {
			const { logo_url } = (await upload(png(5, 5))).body.data;
			const response = await fetch(new URL(pathOf(logo_url), service.httpUrl));
			assert.equal(response.status, 200);
			assert.deepEqual(Buffer.from(await response.arrayBuffer()), png(5, 5));
			const headers = Object.fromEntries(response.headers);
			assert.deepEqual(
				[
					headers["content-type"],
					headers["content-security-policy"],
					headers["x-content-type-options"],
					headers["cache-control"],
				],
				[
					"image/png",
					"default-src 'none'; sandbox; frame-ancestors 'none'",
					"nosniff",
					"public, max-age=31536000, immutable",
				],
			);
		});

		it("serves an image of two subjects until both have deleted it", async () => {
			const shared = png(6, 6);
			const { logo_url } = (await upload(shared, "?variant=light")).body.data;
			await upload(shared, "?variant=dark");
			await remove("?variant=dark");
			assert.equal((await service.call("GET", pathOf(logo_url))).status, 200);
		});
	});

	describe("404", () => {
		it("refuses an unknown or malformed digest", async () => {
			for (const digest of ["0".repeat(64), "F".repeat(64), "x", "../branding"])
				assert.equal((await service.call("GET", `/api/v1/images/${digest}`)).status, 404);
		});
	});
});
