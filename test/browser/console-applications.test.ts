import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addApplication, addRole, putGrant } from "../harness/applications.ts";
import { describePages } from "../harness/describe-pages.ts";
import { addGroup, putGroupGrant } from "../harness/groups.ts";
import { assertAccessible, PAGES_URL, tabAndPress, tabTo } from "../harness/pages.ts";
import { addPerson, type Person } from "../harness/people.ts";
import { ADMIN } from "../harness/service.ts";
import type { DataOf } from "../harness/wire-body.ts";

const HOSTILE = `<img src=x onerror="document.title='taken over'">`;
const RIGHT_TO_LEFT = "ليلى حداد";

describePages("/console/applications", (pages) => {
	let ada: Person;
	before(async () => {
		ada = await addPerson(pages.service, "ada", { display_name: "Ada Lovelace" });
	});

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

		await tabTo(page, "Who can use it");
		await page.keyboard.press("ArrowRight");
		await page.getByText("No roles yet").waitFor();
		assert.equal(new URL(page.url()).hash, "#roles");
		await tabAndPress(page, "Add role");
		await page.keyboard.type("editor");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Tab");
		await page.keyboard.type("orders:read\norders write");
		await page.getByText("Line 2:").waitFor();
		for (let letter = 0; letter < " write".length; letter++) await page.keyboard.press("Backspace");
		await page.keyboard.type(":*");
		assert.equal(await page.getByText("Line 2:").count(), 0);
		await page.keyboard.press("Tab");
		await page.keyboard.type("orders:reed | Read your orders | 查看您的订单");
		await page.getByText("does not begin with a permission of this role").waitFor();
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
		await page.getByText("No one has access yet").waitFor();
		await tabAndPress(page, "Give access");
		await page.keyboard.type("lovel");
		await page.getByRole("radio", { name: "Ada Lovelace" }).waitFor();
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

	test("validates redirect URIs as you type, keeps refused input, and shows how to connect", async () => {
		const { id } = await addApplication(pages.service, { name: "Reports" });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#connect`);
		await page.getByRole("button", { name: /^Without OpenID Connect/ }).click();
		await page.getByText("Register a redirect URI first").waitFor();
		await page.getByRole("button", { name: "Open the settings" }).click();
		const addresses = page.getByLabel("URIs, one per line");
		await addresses.fill("http://reports.example.com/back");
		await page.getByText(/Line 1:.*must start with https/).waitFor();
		await page.getByLabel("Short name").fill("Not a slug");
		await page.getByRole("button", { name: "Save redirect URIs" }).click();
		await page.locator("[name=redirect_uris][aria-invalid=true]").waitFor();
		assert.equal(await addresses.inputValue(), "http://reports.example.com/back");
		await addresses.fill("https://reports.example.com/back");
		await page.getByRole("button", { name: "Save redirect URIs" }).click();
		await page.getByText("The redirect URIs were saved.").waitFor();
		assert.equal(await page.getByLabel("Short name").inputValue(), "Not a slug");
		await page.getByRole("tab", { name: "Connect" }).click();
		await page.getByRole("button", { name: /^Without OpenID Connect/ }).click();
		await page.getByText('const REDIRECT_URI = "https://reports.example.com/back";').waitFor();
		assert.equal(await page.getByText(`const APP_ID = "${id}";`).count(), 1);
		await assertAccessible(page);
		noTroubles(/ 40[04] /);
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
