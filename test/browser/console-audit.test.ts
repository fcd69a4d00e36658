import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { AUDIT_ACTIONS } from "../../src/domain/audit-action.ts";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
	tabTo,
} from "../harness/browser/pages.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const HOSTILE = `<img src=x onerror="document.title='taken over'">`;
const RIGHT_TO_LEFT = "ليلى حداد";

describePages("/console/audit", (pages) => {
	let auditor: Person;
	let appId: string;
	before(async () => {
		const { service } = pages;
		auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
		appId = (await addApplication(service, { name: "Order desk" })).id;
		const token = await service.adminToken();
		await service.call("PATCH", `/api/v1/applications/${appId}`, {
			token,
			body: { description: `${RIGHT_TO_LEFT} ${HOSTILE}`, require_mfa: true },
		});
		await putGrant(service, appId, (await addPerson(service, "ada")).id);
		await service.call("PATCH", `/api/v1/applications/${appId}`, {
			token,
			body: { name: HOSTILE },
		});
	});

	test("offers every action in a titled group", async () => {
		const { page } = await pages.openAs(auditor, "/console/audit");
		await page.getByLabel("Action").waitFor();
		const offered = await page.evaluate<string[]>(
			"[...document.querySelectorAll('select[name=action] optgroup[label] option')].map(({ value }) => value)",
		);
		assert.deepEqual(offered.toSorted(), [...AUDIT_ACTIONS].toSorted());
	});

	test("selects what changes roles and access as one filter, and names the filter without events", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/audit");
		await page.getByLabel("Action").selectOption({ label: "Roles and access" });
		await page.waitForURL(/action=grant\.created/);
		await page.getByText("admin gave user ada access to Order desk").waitFor();
		await page.getByText("admin signed in").first().waitFor({ state: "detached" });
		const chosen = new URL(page.url()).searchParams.get("action") ?? "";
		const known: readonly string[] = AUDIT_ACTIONS;
		assert.deepEqual(
			chosen.split(",").filter((action) => !known.includes(action)),
			[],
		);
		await page.reload();
		await page.getByText("admin gave user ada access to Order desk").waitFor();
		assert.equal(await page.getByLabel("Action").inputValue(), chosen);
		await page.getByLabel("Action").selectOption({ label: "Role changed" });
		await page
			.getByText("Nothing matches “Role changed”. Names must match in full; pick a person from the list.")
			.waitFor();
		await assertAccessible(page);
		await page.goto(`${PAGES_URL}/console/audit?action=group.created,grant.changed`);
		await page.getByText("Nothing matches “Group added and grant.changed”.").waitFor();
		noTroubles();
	});

	test("lets an auditor find the old and new values of a change by keyboard, and keeps the filters in the URL", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/audit");
		await page.getByText(/^Verified: all \d+ events are unaltered$/).waitFor();
		await tabTo(page, "Action");
		await page.keyboard.type("Application changed");
		await page.waitForURL(/action=application\.updated/);
		await page.locator(".lk-events__event").nth(2).waitFor({ state: "detached" });
		await page.locator(".lk-events__event").nth(1).waitFor();
		assert.equal(await page.locator(".lk-events__event").count(), 2);
		await tabAndPress(page, /require_mfa from false to true/);
		const second = page.locator(".lk-events__event[open]");
		await second.getByRole("row", { name: /require_mfa false true/ }).waitFor();
		assert.equal(
			await second.getByRole("link", { name: "Application Order desk" }).getAttribute("href"),
			`/console/applications/${appId}`,
		);
		await assertAccessible(page);
		await second.getByRole("button", { name: "Filter by this" }).last().click();
		await page.waitForURL(/request_id=/);
		await page.locator(".lk-events__event").nth(1).waitFor({ state: "detached" });
		const link = page.url();
		await page.reload();
		await page.locator(".lk-events__event").waitFor();
		assert.equal(page.url(), link);
		assert.equal(await page.locator(".lk-events__event").count(), 1);
		assert.equal(await page.locator("img[src=x]").count(), 0);
		noTroubles();
	});

	test("filters by name and period, shows errors at their fields, and resets the filters", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, `/console/audit?target=application:${appId}`);
		await page.getByRole("button", { name: /^About Application/ }).waitFor();
		await page.locator(".lk-events__event").nth(2).waitFor();
		await page.locator(".lk-events__event").nth(3).waitFor({ state: "detached" });
		assert.equal(await page.locator(".lk-events__event").count(), 3);
		await page.getByRole("button", { name: /^About Application/ }).click();
		await page.getByRole("combobox", { name: "Target" }).fill("ada");
		await page.keyboard.press("Enter");
		await page.waitForURL(/target_name=ada/);
		await page.getByText("admin gave user ada access to Order desk").waitFor();
		await page.getByLabel("When", { exact: true }).selectOption({ label: "The last hour" });
		await page.waitForURL(/from=2/);
		await page.getByText("admin gave user ada access to Order desk").waitFor();
		await page.getByLabel("From IP address").fill("not an address");
		await page.locator("[name=ip][aria-invalid=true]").waitFor();
		await page.getByRole("button", { name: /reset/i }).click();
		await page.waitForURL(`${PAGES_URL}/console/audit`);
		await page.locator(".lk-events__event", { hasText: "signed in" }).first().waitFor();
		await page.getByRole("combobox", { name: "Actor" }).fill("no such actor");
		await page.keyboard.press("Tab");
		await page.getByText("No events match").waitFor();
		await noAxeViolations(page);
		noTroubles(/400/);
	});

	test("finds a person by a part of the name, and all events under the person's ID, by keyboard", async () => {
		const { service } = pages;
		const { id } = await addPerson(service, "zoe.part", { display_name: `Zoë ${HOSTILE}` });
		await service.asAdmin("PATCH", `/api/v1/users/${id}`, { username: "zoe.renamed" });
		const { page, noTroubles } = await pages.openAs(auditor, "/console/audit");
		await page.locator(".lk-events__event").first().waitFor();
		await tabTo(page, "Target");
		await page.keyboard.type("zoe.re");
		const field = page.getByRole("combobox", { name: "Target" });
		await page.getByRole("option", { name: /Zoë/ }).waitFor();
		await page.getByRole("option", { name: "The full name “zoe.re”", selected: true }).waitFor();
		await page.getByText(/encrypted with a key of each person/).waitFor();
		await assertAccessible(page);
		await page.keyboard.press("ArrowDown");
		await page.getByRole("option", { name: /Zoë/, selected: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/console/audit?target=user%3A${id}`);
		await field.waitFor({ state: "detached" });
		await page.getByText("admin created user zoe.part").waitFor();
		await page.getByText(/admin changed user zoe\.(part|renamed)/).waitFor();
		await page.getByRole("button", { name: /^About Zoë.* \(person\)/ }).click();
		await page.waitForURL(`${PAGES_URL}/console/audit`);
		await field.fill("zoe");
		await page.keyboard.press("Escape");
		assert.equal(await field.inputValue(), "");
		noTroubles();
	});

	test("keeps filters under a name in this browser, for their user only", async () => {
		const { page, context, noTroubles } = await pages.openAs(
			auditor,
			"/console/audit?action=application.updated&ip=127.0.0.1",
		);
		await tabAndPress(page, "Save these filters");
		await page.keyboard.press("Enter");
		await page.getByText("Enter a name of at most 40 characters.").waitFor();
		await page.keyboard.type(`Changes ${RIGHT_TO_LEFT} ${HOSTILE.slice(0, 10)}`);
		await page.keyboard.press("Enter");
		await page.getByText("The filters were saved in this browser.").waitFor();
		const saved = page.getByRole("button", { name: /^Changes/, pressed: true });
		await saved.waitFor();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Reset filters" }).click();
		await page.waitForURL(`${PAGES_URL}/console/audit`);
		await page.getByLabel("When", { exact: true }).selectOption({ label: "The last 24 hours" });
		await page.getByRole("button", { name: /^Changes/, pressed: false }).click();
		await page.waitForURL(({ searchParams }) =>
			["action", "ip", "from"].every((name) => searchParams.has(name)),
		);
		await page.reload();
		await saved.waitFor();
		await page.getByRole("button", { name: /^Remove the saved filters/ }).click();
		await saved.waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Undo" }).click();
		await saved.waitFor();
		const keys = await page.evaluate<string[]>(
			"Object.keys(localStorage).filter((key) => key.includes('audit'))",
		);
		assert.deepEqual(keys, [`latchkey.audit-filters.${auditor.id}`]);
		await page.evaluate(`localStorage.setItem(${JSON.stringify(keys[0])}, '{"not": [')`);
		await page.reload();
		await page.getByRole("button", { name: "Save these filters" }).waitFor();
		await context.close();
		noTroubles();
	});

	test("restores the former roles of a person from the list in three clicks, with a note and links between the events", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Billing" });
		for (const name of ["manager", "viewer"]) await addRole(service, id, name);
		const daniel = await addPerson(service, "daniel.okafor");
		for (const role of ["manager", "viewer"]) await putGrant(service, id, daniel.id, [role]);
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/audit");
		await page.getByText("admin changed daniel.okafor's roles in Billing: manager → viewer").click();
		await page.getByRole("button", { name: "Restore: roles = manager" }).click();
		const dialog = page.getByRole("dialog", { name: "Restore the former values" });
		await dialog.getByRole("row", { name: "roles viewer manager" }).waitFor();
		await assertAccessible(page);
		await page.keyboard.type(`Needed ${RIGHT_TO_LEFT}`);
		await page.keyboard.press("Enter");
		await dialog.waitFor({ state: "detached" });
		await page.getByText("The former values were restored.").waitFor();
		await page.getByText("admin changed daniel.okafor's roles in Billing: viewer → manager").waitFor();
		const grants = await service.asAdmin("GET", `/api/v1/users/${daniel.id}/grants`);
		assert.equal(JSON.stringify(grants).includes("manager"), true);
		await page.getByRole("link", { name: "Show the new event" }).click();
		await page.waitForURL(/\/console\/audit\?id=/);
		await page.locator(".lk-events__event").nth(1).waitFor({ state: "detached" });
		await page.getByText("admin changed daniel.okafor's roles in Billing: viewer → manager").click();
		await page.getByText(`Needed ${RIGHT_TO_LEFT}`).waitFor();
		assert.equal(
			await page.getByRole("link", { name: "Billing", exact: true }).getAttribute("href"),
			`/console/applications/${id}`,
		);
		await page.getByRole("link", { name: "An earlier event" }).click();
		await page.getByText("admin changed daniel.okafor's roles in Billing: manager → viewer").click();
		await page.getByRole("button", { name: "Restore: roles = manager" }).click();
		await page.getByText("Nothing to restore: the record has these values.").waitFor();
		await assertAccessible(page);
		noTroubles();
	});

	test("shows what changed again after the event and the preview, and offers auditors nothing", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Stock" });
		const role = await addRole(service, id, "clerk", ["stock:read"]);
		const change = (permissions: readonly string[]) =>
			service.asAdmin("PATCH", `/api/v1/applications/${id}/roles/${role.id}`, { permissions });
		await change([]);
		const path = `/console/audit?target=application_role:${role.id}&action=application_role.updated`;
		const { page, noTroubles } = await pages.openAs(ADMIN, path);
		await page.getByText(/permissions from stock:read to nothing/).click();
		await page.getByRole("link", { name: "Stock", exact: true }).waitFor();
		const open = page.getByRole("button", { name: "Restore: permissions = stock:read" });
		await open.click();
		await page.getByRole("row", { name: "permissions nothing stock:read" }).waitFor();
		await change(["stock:write"]);
		await page.getByRole("button", { name: "Restore", exact: true }).click();
		await page.getByText(/^Changed again after the event: permissions\./).waitFor();
		await page.getByRole("row", { name: "permissions stock:write stock:read" }).waitFor();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Restore", exact: true }).click();
		await page.getByText(/permissions from stock:write to stock:read/).waitFor();
		await change(Array.from({ length: 25 }, (_, index) => `p${index}:read`));
		await change([]);
		await page.reload();
		await page
			.getByText(/p0:read/)
			.first()
			.waitFor();
		await page.locator(".lk-events__event").first().click();
		await page.getByRole("button", { name: /^Restore: permissions = p0:read/ }).click();
		await page.getByText("the trail does not have the former value of permissions").waitFor();
		await assertAccessible(page);
		noTroubles(/409/);
		const other = await pages.openAs(auditor, path);
		await other.page.locator(".lk-events__event").first().click();
		await other.page.getByRole("row", { name: /permissions/ }).waitFor();
		assert.equal(await other.page.getByRole("button", { name: /^Restore/ }).count(), 0);
		other.noTroubles();
	});

	test("folds events with the same sentence in a row, and opens them by keyboard", async () => {
		const { service } = pages;
		const maria = await addPerson(service, "maria.silva");
		for (let count = 0; count < 3; count++) await service.tokenOf(maria.username, maria.password);
		const { page, noTroubles } = await pages.openAs(auditor, `/console/audit?actor=user:${maria.id}`);
		await tabAndPress(page, /^\S.*maria\.silva signed in.*× \d/);
		const run = page.locator(".lk-events__run[open]");
		await run.getByText(/^\d times$/).waitFor({ state: "attached" });
		const count = Number(
			/\d+/.exec((await run.locator(".lk-events__count > [aria-hidden]").textContent()) ?? "")?.[0],
		);
		assert.equal(await run.locator(".lk-events__event").count(), count);
		assert.ok(count >= 3);
		await assertAccessible(page);
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await run.locator(".lk-events__event[open]").getByText("Signed in", { exact: false }).first().waitFor();
		noTroubles();
	});

	test("prints the events without menu and filters", async () => {
		const { page } = await pages.openAs(auditor, "/console/audit");
		await page.locator(".lk-events__event").first().waitFor();
		await page.emulateMedia({ media: "print" });
		for (const hidden of [
			page.getByRole("navigation").first(),
			page.getByLabel("Action"),
			page.getByRole("button", { name: "Export" }),
		])
			await hidden.waitFor({ state: "hidden" });
		await page.locator(".lk-events__event").first().waitFor();
	});

	test("exports the filtered events, and records the export", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/audit?action=application.updated");
		await page.locator(".lk-events__event").first().waitFor();
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export" }).click();
		await page.getByRole("menuitem", { name: /JSON Lines/ }).click();
		const file = await saved;
		assert.match(file.suggestedFilename(), /^audit-events-\d{4}-\d{2}-\d{2}\.jsonl$/);
		const lines = readFileSync(await file.path(), "utf8")
			.trimEnd()
			.split("\n");
		assert.deepEqual(
			lines.map((line) => JSON.parse(line).action),
			["application.updated", "application.updated"],
		);
		await page.getByText("The export itself was recorded too").waitFor();
		const token = await pages.service.adminToken();
		const { body } = await pages.service.call("GET", "/api/v1/audit-events?action=audit.exported", { token });
		assert.deepEqual(body.data[0]?.details, { format: "jsonl", action: "application.updated" });
		noTroubles();
	});

	test("speaks Chinese", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/audit", { locale: "zh-CN" });
		await page.getByRole("heading", { level: 1, name: "审计日志" }).waitFor();
		await page
			.locator(".lk-events__text", { hasText: / 登录$/ })
			.first()
			.waitFor();
		noTroubles();
	});
});

/** Close to midnight or a full hour, two events are in two bars, or a day is as long as one of its bars. */
const NOON = new Date().setUTCHours(12, 0, 1, 0);
describePages(
	"/console/audit at noon",
	(pages) => {
		test("shows how many events there are by time, and only those of a bar that is chosen", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Order desk" });
			for (const description of ["Orders", "Orders and returns"])
				await service.asAdmin("PATCH", `/api/v1/applications/${id}`, { description });
			const { page, noTroubles } = await pages.openAs(ADMIN);
			await page.clock.setFixedTime(NOON);
			await page.goto(`${PAGES_URL}/console/audit?action=application.updated`);
			const strip = page.getByRole("figure");
			await strip.getByText("Events per day").first().waitFor();
			await tabTo(page, /^Events per day/);
			await page.keyboard.press("End");
			await strip.getByRole("status").getByText("Events 2").waitFor();
			await page.keyboard.press("Enter");
			await page.waitForURL(/from=.*&to=/);
			await strip.getByText("Events per hour").first().waitFor();
			await strip.getByText("Show as table").click();
			assert.equal(await strip.getByRole("row").count(), 25);
			const hour = strip.getByRole("row").filter({ has: page.getByRole("cell", { name: "2", exact: true }) });
			const label = await hour.getByRole("rowheader").textContent();
			const bars = strip.locator(".lk-chart__choice");
			const at = (await strip.getByRole("rowheader").allTextContents()).indexOf(label ?? "");
			await bars.nth(at).click();
			await page.locator(".lk-chart__choice .lk-chart--accent").nth(1).waitFor({ state: "detached" });
			await page.locator(".lk-events__event").nth(1).waitFor();
			assert.equal(await page.locator(".lk-events__event").count(), 2);
			await bars.nth((at + 1) % 24).click();
			await page.getByText("No events match").waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: "Whole day" }).click();
			await page.locator(".lk-events__event").nth(1).waitFor();
			await page.getByRole("button", { name: "Any time" }).click();
			await page.waitForURL(`${PAGES_URL}/console/audit?action=application.updated`);
			await strip.getByText("Events per day").first().waitFor();
			noTroubles();
		});
	},
	undefined,
	{ atMs: NOON },
);
