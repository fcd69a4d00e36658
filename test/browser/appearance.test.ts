// What pictures of the pages showed to be misleading: colors, icons, sizes, and breaks of lines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const BACK = "https://shop.example/callback";
/** The shape of a tick. */
const TICK = "m4 10.5 4 4 8-9";
const WIDE = { viewport: { width: 1440, height: 900 } };
const background = (selector: string) =>
	`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`;

describePages("the appearance of the pages", (pages) => {
	test("a button that only opens a question is red when the question confirms", async () => {
		const { page } = await pages.openAs(ADMIN, "/account");
		await page.getByRole("button", { name: "Delete account" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.waitFor();
		assert.equal(await page.evaluate(background(".lk-card .lk-button--danger")), "rgba(0, 0, 0, 0)");
		assert.match(await page.evaluate(background(".lk-dialog .lk-button--danger")), /^rgb\(/);
	});

	test("tiles of frameworks have the same height, and letters of their own", async () => {
		const { id } = await addApplication(pages.service);
		const { page } = await pages.openAs(ADMIN, `/console/applications/${id}#connect`, WIDE);
		await page.getByRole("button", { name: /^Express/ }).waitFor();
		const tiles = page.locator(".lk-option");
		const heights = await tiles.evaluateAll((all) =>
			all.map((one) => Math.round((one as unknown as { offsetHeight: number }).offsetHeight)),
		);
		assert.equal(new Set(heights).size, 1, heights.join());
		const marks = await page.locator(".lk-option__mark").allTextContents();
		assert.ok(marks.length >= 6 && new Set(marks).size === marks.length, marks.join());
	});

	test("a consent shows what is asked, not ticks", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { redirect_uris: [BACK], access_policy: "open" });
		await putOAuthClient(service, { type: "spa" }, id);
		const query = new URLSearchParams({
			client_id: id,
			redirect_uri: BACK,
			response_type: "code",
			scope: "openid profile email",
			code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
			code_challenge_method: "S256",
		});
		const { page } = await pages.openAs(ADMIN, `/oauth/authorize?${query}`);
		await page.getByText("Your email address").waitFor();
		const shapes = await page
			.locator(".lk-entry__icon path")
			.evaluateAll((all) => all.map((one) => one.getAttribute("d")));
		assert.ok(shapes.length === 3 && new Set(shapes).size === 3 && !shapes.includes(TICK), shapes.join());
	});

	test("the email address of a person stays in one line where there is room", async () => {
		const email = "aisha.rahman@people.example";
		const { id } = await addPerson(pages.service, "aisha.rahman", { email });
		const { page } = await pages.openAs(ADMIN, `/console/people/${id}`, WIDE);
		const address = page.locator("dd bdi").filter({ hasText: email });
		await address.waitFor();
		const tops = await address.evaluate((one) => [...one.getClientRects()].map(({ top }) => Math.round(top)));
		assert.equal(new Set(tops).size, 1, tops.join());
	});
});
