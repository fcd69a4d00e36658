import assert from "node:assert/strict";
import { test } from "node:test";
import { addApplication, addRole } from "../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const HOSTILE = `<img src=x onerror="document.title='taken over'">`;
const RIGHT_TO_LEFT = "ليلى حداد";

describePages("/console/groups", (pages) => {
	test("lets an administrator create a group and add users by keyboard", async () => {
		const { service } = pages;
		const ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
		const grace = await addPerson(service, "grace", { display_name: "Grace Hopper" });
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/groups");
		await page.getByText("No groups yet").waitFor();
		await tabAndPress(page, "Add group");
		await page.keyboard.type("Night shift");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Night shift" }).waitFor();
		await page.waitForURL(`${PAGES_URL}/console/groups/*`);
		const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
		await page.getByText("This group has no members yet").waitFor();
		await tabAndPress(page, "Add people");
		for (const [typed, name] of [
			["lovel", "Ada Lovelace"],
			["hopp", "Grace Hopper"],
		] as const) {
			await page.keyboard.type(typed);
			await page.getByRole("radio", { name }).waitFor();
			await page.locator("dialog input[type=radio]").nth(1).waitFor({ state: "detached" });
			await page.keyboard.press("Tab");
			await page.keyboard.press("Space");
			await page.keyboard.press("Enter");
			await page.getByText(`${name} was added to Night shift.`).waitFor();
		}
		await tabAndPress(page, "Done");
		await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
		const token = await service.adminToken();
		const { body } = await service.call("GET", `/api/v1/groups/${id}/members`, { token });
		assert.deepEqual(
			body.data.map(({ user_id }) => user_id),
			[grace.id, ada.id],
		);
		await page.getByRole("button", { name: "Actions for Ada Lovelace" }).click();
		await page.getByRole("menuitem", { name: "Remove from the group…" }).click();
		await page.getByRole("button", { name: "Remove", exact: true }).click();
		await page.getByText("Ada Lovelace was removed from the group.").waitFor();
		await page.getByRole("row", { name: /Ada Lovelace/ }).waitFor({ state: "detached" });
		noTroubles();
	});

	test("grants a group access to an application, and deletes it after the name is typed", async () => {
		const { service } = pages;
		const app = await addApplication(service, { name: "Order desk" });
		await addRole(service, app.id, "viewer", ["orders:read"]);
		const group = await addGroup(service, [], { name: "Sales" });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/groups/${group.id}#applications`);
		await page.getByText("This group has no access yet").waitFor();
		await page.getByRole("button", { name: "Give access" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Give access" }).click();
		await page.getByText("Choose one.").waitFor();
		await page.getByLabel("Find an application by name").fill("desk");
		await page.getByRole("radio", { name: "Order desk" }).check();
		await page.getByRole("checkbox", { name: "viewer" }).check();
		await page.getByLabel("Access ends").selectOption({ label: "In 1 week" });
		await assertAccessible(page);
		await page.getByRole("dialog").getByRole("button", { name: "Give access" }).click();
		const row = page.getByRole("row", { name: /Order desk.*viewer.*\d+:\d\d/ });
		await row.waitFor();
		const grantsOfGroup = async () => {
			const token = await service.adminToken();
			return (await service.call("GET", `/api/v1/groups/${group.id}/grants`, { token })).body.data;
		};
		const [given, ...others] = await grantsOfGroup();
		assert.deepEqual([given?.app_name, given?.roles, others], ["Order desk", ["viewer"], []]);
		const days = (Date.parse(given?.expires_at ?? "") - service.clock.now()) / 86_400_000;
		assert.ok(days > 6.9 && days < 7.1, `ends in ${days} days`);
		// What is undone does not become permanent.
		await page.getByRole("button", { name: /^Actions for/ }).click();
		await page.getByRole("menuitem", { name: "Remove access…" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Remove access" }).click();
		await row.waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Undo" }).click();
		await row.waitFor();
		assert.equal((await grantsOfGroup())[0]?.expires_at, given?.expires_at);
		await page.getByRole("button", { name: "Delete…" }).click();
		const confirm = page.getByRole("button", { name: "Delete group" });
		assert.equal(await confirm.isDisabled(), true);
		await page.getByLabel(/to confirm/).fill("Sales");
		await confirm.click();
		await page.getByText("Sales was deleted.").waitFor();
		await page.waitForURL(`${PAGES_URL}/console/groups`);
		noTroubles();
	});

	test("shows names as text, fits every width, and hides actions from auditors", async () => {
		const { service } = pages;
		const person = await addPerson(service, "layla", { display_name: `${RIGHT_TO_LEFT} ${HOSTILE}` });
		const group = await addGroup(service, [person.id], { name: HOSTILE, description: RIGHT_TO_LEFT });
		await putGroupGrant(service, (await addApplication(service, { name: HOSTILE })).id, group.id);
		const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
		const { page, noTroubles } = await pages.openAs(auditor, "/console/groups?q=onerror");
		await page.getByRole("link", { name: HOSTILE }).waitFor();
		assert.equal(await page.getByRole("button", { name: "Add group" }).count(), 0);
		await assertAccessible(page);
		await page.getByRole("link", { name: HOSTILE }).click();
		await page.getByRole("row", { name: /ليلى/ }).waitFor();
		for (const name of [/^Actions/, "Add people", "Edit", "Delete…"])
			assert.equal(await page.getByRole("button", { name }).count(), 0, String(name));
		for (const tab of ["Applications", "Members"]) {
			await page.getByRole("tab", { name: tab }).click();
			await page.getByRole("row").nth(1).waitFor();
			await assertAccessible(page);
		}
		assert.equal(await page.locator("img[src=x]").count(), 0);
		noTroubles();
	});

	test("speaks Chinese", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/groups", { locale: "zh-CN" });
		await page.getByRole("heading", { level: 1, name: "群组" }).waitFor();
		noTroubles();
	});
});
