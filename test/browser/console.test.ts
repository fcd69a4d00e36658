import assert from "node:assert/strict";
import { test } from "node:test";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { ADMIN } from "../harness/service/service.ts";

describePages("/console", (pages) => {
	test("opens with the session cookie, in both color schemes and on a phone", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		assert.equal(await page.title(), "Overview · Latchkey");
		await assertAccessible(page);
		noTroubles();
		const storage = await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage })");
		assert.doesNotMatch(storage, /eyJ|token/);
	});

	test("shows the tenant in the header, or in the drawer on a phone, and never as markup", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const { body: me } = await service.call("GET", "/api/v1/users/me", { token });
		const name = "Haus <b>Nord</b> مرحبا";
		const path = `/api/v1/tenants/${me.data.tenant_id}` as const;
		assert.equal((await service.call("PATCH", path, { token, body: { name } })).status, 200);
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		await page.getByRole("banner").getByText(name).waitFor();
		await page.setViewportSize({ width: 360, height: 740 });
		await page.getByRole("button", { name: "Open navigation" }).click();
		await page.getByRole("dialog").getByText(name).waitFor();
		await noAxeViolations(page);
		noTroubles();
		const { data } = (await service.call("GET", path, { token })).body;
		assert.equal(data.name, name);
	});

	test("redirects to the sign-in page without a session, and back after the sign-in", async () => {
		const { page, requests } = await pages.open();
		await page.goto(`${PAGES_URL}/console`, { waitUntil: "commit" });
		await page.waitForURL(/\/sign-in/);
		assert.equal(page.url(), `${PAGES_URL}/sign-in?return_to=%2Fconsole`);
		assert.ok(requests.includes(`POST ${PAGES_URL}/api/v1/auth/refresh`));
	});

	test("sends only the known filters of a list to the API, regardless of the URL", async () => {
		const { page, requests, noTroubles } = await pages.openAs(
			ADMIN,
			"/console/people?q=admin&utm_source=mail&page=first",
		);
		await page.getByRole("rowheader", { name: "admin" }).waitFor();
		const lists = requests.filter((request) => request.includes("/api/v1/users?"));
		assert.deepEqual(lists, [`GET ${PAGES_URL}/api/v1/users?page=1&page_size=20&q=admin`]);
		await page.getByRole("searchbox").fill("adm");
		await page.waitForURL(`${PAGES_URL}/console/people?q=adm&utm_source=mail`);
		noTroubles();
	});
});
