import assert from "node:assert/strict";
import { test } from "node:test";
import { submitApproved } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL, tabAndPress, tabTo } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

const HOSTILE = `<img src=x onerror="document.title='taken over'">`;
const BACK = "https://reports.example.com/back";
const RIGHT_TO_LEFT = "ليلى حداد";

describePages("/console/applications", (pages) => {
	const ada = fixture(() => addPerson(pages.service, "ada", { display_name: "Ada Lovelace" }));

	const api = async (path: string) => {
		const token = await pages.service.adminToken();
		return (await pages.service.call<{ readonly data: never }>("GET", path, { token })).body.data;
	};

	test("lets an administrator add an application, a role, and a user by keyboard", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/applications");
		await page.getByText("No applications yet").waitFor();
		await tabAndPress(page, "Add application");
		await page.keyboard.type("Order desk");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Order desk" }).waitFor();
		await page.waitForURL(`${PAGES_URL}/console/applications/*`);
		const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";

		await page.getByRole("heading", { name: "How is your application built?" }).waitFor();
		await tabTo(page, "Connect");
		await page.keyboard.press("Home");
		await page.getByRole("row", { name: /admin/ }).waitFor();
		await page.keyboard.press("ArrowRight");
		await page.getByText("No roles yet").waitFor();
		assert.equal(new URL(page.url()).hash, "#roles");
		await tabAndPress(page, "Add role");
		await page.keyboard.type("editor");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Tab");
		await page.keyboard.type("orders:read");
		await page.keyboard.press("Enter");
		await page.keyboard.type("orders write");
		const problem = page.getByRole("status").filter({ hasText: "Use letters, digits" });
		assert.equal(await problem.count(), 0, "not while it is typed for the first time");
		await page.keyboard.press("Tab");
		await problem.waitFor();
		await page.keyboard.press("Shift+Tab");
		await page.keyboard.press("End");
		for (let letter = 0; letter < " write".length; letter++) await page.keyboard.press("Backspace");
		await page.keyboard.type(":*");
		assert.equal(await problem.count(), 0);
		await tabTo(page, "Permission descriptions, row 1");
		await page.keyboard.type("orders:reed | Read your orders | 查看您的订单");
		await page.keyboard.press("Tab");
		await page.getByText("Start with a permission of this role.").waitFor();
		await page.keyboard.press("Shift+Tab");
		await page.keyboard.press("Home");
		for (let letter = 0; letter < "orders:reed".length; letter++) await page.keyboard.press("Delete");
		await page.keyboard.type("orders:read");
		await tabAndPress(page, "Add role");
		await page.getByText("The role editor was saved.").waitFor();
		const [role] = (await api(
			`/api/v1/applications/${id}/roles`,
		)) as DataOf<"POST /api/v1/applications/{id}/roles">[];
		assert.deepEqual(role?.permissions, ["orders:read", "orders:*"]);
		const described = { permission: "orders:read", en: "Read your orders", zh: "查看您的订单" };
		assert.deepEqual(role?.permission_descriptions, [described]);

		await page.reload();
		await page.getByRole("cell", { name: "orders:*" }).waitFor();
		await tabTo(page, "Roles");
		await page.keyboard.press("ArrowLeft");
		await page.getByRole("row", { name: /admin/ }).waitFor();
		await tabAndPress(page, "Give access");
		await page.keyboard.type("lovel");
		await page.getByRole("checkbox", { name: "Ada Lovelace" }).waitFor();
		await page.getByRole("dialog").getByRole("checkbox", { name: "admin" }).waitFor({ state: "detached" });
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await tabAndPress(page, "Give access");
		await page.getByText("Ada Lovelace can now use Order desk.").waitFor();
		await page.getByRole("row", { name: /Ada Lovelace.*editor/ }).waitFor();
		const [grant] = (await api(`/api/v1/applications/${id}/grants`)) as {
			user_id: string;
			roles: string[];
		}[];
		assert.deepEqual([grant?.user_id, grant?.roles], [ada.id, ["editor"]]);
		// An application that is not connected has no OAuth client.
		noTroubles(/ 404 /);
	});

	test("gives several people access at once, and undoes it", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Loom" });
		await addPerson(service, "bo.lund", { display_name: "Bo Lund" });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}`);
		await page.getByRole("button", { name: "Give access" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Give access" }).click();
		await dialog.getByText("Choose at least one.").waitFor();
		await dialog.getByLabel("Find people by name").fill("lovel");
		await dialog.getByRole("checkbox", { name: "Bo Lund" }).waitFor({ state: "detached" });
		await dialog.getByRole("checkbox", { name: "Ada Lovelace" }).check();
		await dialog.getByLabel("Find people by name").fill("lund");
		await dialog.getByRole("checkbox", { name: "Bo Lund" }).check();
		assert.equal(await dialog.getByRole("checkbox", { name: "Ada Lovelace" }).isChecked(), true);
		await assertAccessible(page);
		await dialog.getByRole("button", { name: "Give access" }).click();
		await page.getByText("2 of 2 done").waitFor();
		await page.locator("main button:focus", { hasText: "Give access" }).waitFor();
		await page.getByRole("row", { name: /Ada Lovelace/ }).waitFor();
		await page.getByRole("row", { name: /Bo Lund/ }).waitFor();
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("No one has access yet").waitFor();
		noTroubles();
	});

	test("lists how applications are used, and those that an approval created, even on a phone", async () => {
		const { service } = pages;
		const { id, name } = await addApplication(service, {
			name: "Ticket office",
			redirect_uris: ["https://office.example/"],
		});
		await putGrant(service, id, ada.id);
		await addApiClient(service, { app_id: id });
		await addApplication(service, { name: "Notice board", access_policy: "open" });
		const { project_name } = await submitApproved(service);
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/applications");
		await page.getByRole("row", { name: /Ticket office API only 1 1$/ }).waitFor();
		await page.getByRole("row", { name: /Notice board API only Everyone 0$/ }).waitFor();
		// All are active, and none was ever used.
		assert.deepEqual(await page.getByRole("columnheader").allTextContents(), [
			"Name",
			"Sign-in",
			"People",
			"API clients",
		]);
		await assertAccessible(page);
		await page.getByLabel("Created by", { exact: true }).selectOption({ label: "Created by an approval" });
		await page.waitForURL(/from_access_request=true/);
		await page.locator("tbody:not(:has(tr + tr))").getByRole("rowheader", { name: project_name }).waitFor();
		await page
			.getByLabel("Created by", { exact: true })
			.selectOption({ label: "Not created by an approval" });
		await page.getByRole("rowheader", { name }).waitFor();
		assert.equal(await page.getByRole("rowheader", { name: project_name }).count(), 0);
		await page.setViewportSize({ width: 390, height: 844 });
		const shown = await page.evaluate<string[]>(
			`[...document.querySelectorAll("tbody tr:first-child td")]
				.filter((cell) => getComputedStyle(cell).display !== "none")
				.map((cell) => cell.dataset.label)`,
		);
		assert.deepEqual(shown, ["Sign-in"]);
		noTroubles();
	});

	test("changes roles, removes access, and deletes after the name is typed", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Kiosk" });
		await addRole(service, id, "viewer", ["orders:read"]);
		await addRole(service, id, "editor", ["orders:*"]);
		await putGrant(service, id, ada.id, ["viewer"]);
		const group = await addGroup(service, [], { name: "Night shift" });
		await putGroupGrant(service, id, group.id, ["editor"]);
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}?kind=user`);
		await page.getByRole("row", { name: /Ada Lovelace/ }).waitFor();
		assert.equal(await page.getByText("Night shift").count(), 0);
		await page.getByRole("button", { name: "Actions for Ada Lovelace" }).click();
		await page.getByRole("menuitem", { name: "Change roles…" }).click();
		await page.getByRole("checkbox", { name: "editor" }).check();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("row", { name: /Ada Lovelace.*editor.*viewer/ }).waitFor();
		await page.getByRole("combobox", { name: "Show" }).selectOption("group");
		await page.getByRole("button", { name: "Actions for Night shift" }).click();
		await page.getByRole("menuitem", { name: "Remove access…" }).click();
		await page.getByRole("button", { name: "Remove access" }).click();
		await page.getByText("Night shift's access was removed.").waitFor();
		assert.equal(new URL(page.url()).search, "?kind=group");

		await page.getByRole("tab", { name: "Settings" }).click();
		await page.getByRole("button", { name: "Delete application…" }).click();
		const confirm = page.getByRole("button", { name: "Delete application", exact: true });
		assert.equal(await confirm.isDisabled(), true);
		await page.getByLabel(/to confirm/).fill("Kiosk");
		await confirm.click();
		await page.waitForURL(`${PAGES_URL}/console/applications`);
		await page.getByText("Kiosk was deleted.").waitFor();
		await page.getByRole("link", { name: "Kiosk" }).waitFor({ state: "detached" });
		noTroubles();
	});

	test("fills rows of redirect URIs by pasting, and shows the error of the API at its row", async () => {
		const { id } = await addApplication(pages.service, { name: "Reports" });
		const { page, context, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#connect`);
		await page.getByRole("tab", { name: "Settings" }).click();
		const row = (number: number) => page.getByLabel(`Redirect URIs, row ${number}`);
		const valuesOf = async () => {
			const rows = await page.getByLabel(/^Redirect URIs, row/).all();
			return Promise.all(rows.map((one) => one.inputValue()));
		};
		await row(1).focus();
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: PAGES_URL });
		const pasted = `${BACK}\n\n http://reports.example.com/ \n${BACK}\n`;
		await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
		await page.keyboard.press("ControlOrMeta+V");
		await row(3).waitFor();
		assert.deepEqual(await valuesOf(), [BACK, "http://reports.example.com/", BACK]);
		await page.getByText("Use https:// (http:// only for").waitFor();
		await page.getByText("This is a duplicate.").waitFor();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Remove row 3" }).click();
		await page.getByRole("button", { name: "Remove row 2" }).click();
		assert.deepEqual(await valuesOf(), [BACK]);

		await page.getByRole("button", { name: "Add redirect URI" }).click();
		await page.getByRole("button", { name: "Add redirect URI" }).click();
		await page.keyboard.type("http://reports.example.com/");
		await page.keyboard.press("ControlOrMeta+S");
		await page.getByText("must use https; http is allowed only for").waitFor();
		const invalid = page.locator("[name^=redirect_uris][aria-invalid=true]");
		assert.equal(await invalid.inputValue(), "http://reports.example.com/");
		assert.deepEqual(await valuesOf(), [BACK, "", "http://reports.example.com/"]);
		await page.getByRole("button", { name: "Remove row 2" }).click();
		assert.equal(await invalid.count(), 0, "the position in the error is that of another row now");
		await row(2).fill("https://reports.example.com/next");
		await page.keyboard.press("ControlOrMeta+S");
		await page.getByText("The settings were saved.").waitFor();
		const { redirect_uris } = (await api(
			`/api/v1/applications/${id}`,
		)) as DataOf<"GET /api/v1/applications/{id}">;
		assert.deepEqual(redirect_uris, [BACK, "https://reports.example.com/next"]);
		await assertAccessible(page);
		noTroubles(/ 40[04] /);
	});

	test("saves or discards only changed fields, and asks before they are lost", async () => {
		const { id, name } = await addApplication(pages.service, { description: "Monthly" });
		const { page, requests, noTroubles } = await pages.openAs(ADMIN, "/console/applications");
		await page.getByRole("link", { name }).click();
		await page.getByRole("tab", { name: "Settings" }).click();
		const purpose = page.getByLabel("What it is for");
		const bar = page.getByRole("region", { name: "Unsaved changes" });
		await purpose.waitFor();
		assert.equal(await bar.count(), 0);
		await purpose.fill("Monthly figures");
		await bar.waitFor();
		await assertAccessible(page);
		await tabAndPress(page, "Discard");
		await bar.waitFor({ state: "detached" });
		assert.equal(await purpose.inputValue(), "Monthly");
		assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");

		await purpose.fill("Yearly figures");
		const question = page.getByRole("dialog", { name: "Leave without saving?" });
		const stay = () => question.getByRole("button", { name: "Cancel" }).click();
		for (const leave of [
			() => page.getByRole("tab", { name: "Roles" }).click(),
			() => page.getByRole("link", { name: "People", exact: true }).click(),
			() => page.evaluate("history.back()"),
		]) {
			await leave();
			await question.waitFor();
			await stay();
			await question.waitFor({ state: "detached" });
			assert.equal(new URL(page.url()).pathname, `/console/applications/${id}`);
			assert.equal(await purpose.inputValue(), "Yearly figures");
		}
		const asked = page.waitForEvent("dialog");
		await page.evaluate("setTimeout(() => location.reload())");
		const dialog = await asked;
		assert.equal(dialog.type(), "beforeunload");
		await dialog.dismiss();

		// Another administrator changes a field that this one has not.
		await pages.service.asAdmin("PATCH", `/api/v1/applications/${id}`, { name: "Renamed" });
		await page.getByRole("button", { name: "Disable…" }).click();
		await page.getByRole("button", { name: "Disable", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Renamed" }).waitFor();
		assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Renamed");
		assert.equal(await purpose.inputValue(), "Yearly figures");

		await page.getByRole("checkbox", { name: "Require a second factor" }).check();
		const patched = page.waitForRequest((request) => request.method() === "PATCH");
		await bar.getByRole("button", { name: "Save" }).click();
		assert.deepEqual((await patched).postDataJSON(), { description: "Yearly figures", require_mfa: true });
		await bar.waitFor({ state: "detached" });
		await purpose.fill("Weekly figures");
		await bar.waitFor();
		await page.evaluate("history.back()");
		await question.getByRole("button", { name: "Leave" }).click();
		await page.waitForURL(`${PAGES_URL}/console/applications`);
		await page.getByRole("link", { name: "Renamed" }).waitFor();
		const stored = (await api(`/api/v1/applications/${id}`)) as DataOf<"GET /api/v1/applications/{id}">;
		assert.equal(stored.description, "Yearly figures");
		// The first one was repeated, since the name was changed elsewhere.
		assert.equal(requests.filter((request) => request.startsWith("PATCH")).length, 3);
		noTroubles(/412/);
	});

	test("leaves without an answer to its question once the changes are saved", async () => {
		const { id } = await addApplication(pages.service, { name: "Archive" });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#settings`);
		const held = Promise.withResolvers<void>();
		await page.route(`**/api/v1/applications/${id}`, async (route) => {
			if (route.request().method() === "PATCH") await held.promise;
			await route.continue();
		});
		await page.getByLabel("Name", { exact: true }).fill("Archives");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("link", { name: "People", exact: true }).click();
		const question = page.getByRole("dialog", { name: "Leave without saving?" });
		await question.waitFor();
		held.resolve();
		await page.waitForURL(`${PAGES_URL}/console/people`);
		await question.waitFor({ state: "detached" });
		noTroubles();
	});

	test("shows names as text, fits every width, and hides actions from auditors", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: HOSTILE, description: RIGHT_TO_LEFT });
		await addRole(service, id, "viewer", ["orders:read"]);
		const person = await addPerson(service, "layla", { display_name: `${RIGHT_TO_LEFT} ${HOSTILE}` });
		await putGrant(service, id, person.id, ["viewer"]);
		const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
		const { page, noTroubles } = await pages.openAs(auditor, "/console/applications");
		await page.getByRole("searchbox").fill("onerror");
		await page.waitForURL(/q=onerror/);
		await page.getByRole("link", { name: HOSTILE }).waitFor();
		assert.equal(await page.getByRole("button", { name: "Add application" }).count(), 0);
		await assertAccessible(page);
		await page.getByRole("link", { name: HOSTILE }).click();
		await page.getByRole("row", { name: /ليلى/ }).waitFor();
		for (const name of [/^Actions/, "Give access", "Disable…"])
			assert.equal(await page.getByRole("button", { name }).count(), 0, String(name));
		for (const tab of ["Who can use it", "Roles", "Settings", "Connect"]) {
			await page.getByRole("tab", { name: tab }).click();
			await assertAccessible(page);
		}
		assert.equal(await page.locator("img[src=x]").count(), 0);
		assert.doesNotMatch(await page.title(), /^taken over/);
		// An application that is not connected has no OAuth client.
		noTroubles(/ 404 /);
	});

	test("speaks Chinese", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/applications", { locale: "zh-CN" });
		await page.getByRole("heading", { level: 1, name: "应用" }).waitFor();
		noTroubles();
	});

	test("shows only logos from its own origin", async () => {
		const { service } = pages;
		const own = await addApplication(service, { logo_url: `${PAGES_URL}/logos/own.svg` });
		const gone = await addApplication(service, { logo_url: `${PAGES_URL}/logos/gone.svg` });
		const foreign = await addApplication(service, { logo_url: "https://elsewhere.example/logo.svg" });
		const { page, requests, noTroubles } = await pages.openAs(
			ADMIN,
			`/console/applications/${own.id}#settings`,
		);
		const logo = page.locator("main header img");
		// As a proxy in front of the service would.
		await page.route("**/logos/own.svg", (route) =>
			route.fulfill({
				contentType: "image/svg+xml",
				body: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
			}),
		);
		await page.reload();
		await logo.waitFor();
		await assertAccessible(page);
		noTroubles();
		for (const { id, name } of [gone, foreign]) {
			await page.goto(`${PAGES_URL}/console/applications/${id}`);
			await page.getByRole("heading", { level: 1, name }).waitFor();
			await logo.waitFor({ state: "detached" });
		}
		assert.ok(requests.every((request) => !request.includes("elsewhere.example")));
	});
});
