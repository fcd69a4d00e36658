import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { AUDIT_ACTIONS } from "../../src/domain/audit-action.ts";
import { addApplication, putGrant } from "../harness/applications.ts";
import { describePages } from "../harness/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress, tabTo } from "../harness/pages.ts";
import { addPerson, type Person } from "../harness/people.ts";
import { ADMIN } from "../harness/service.ts";

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
		await page.getByLabel("What happened").waitFor();
		const offered = await page.evaluate<string[]>(
			"[...document.querySelectorAll('select[name=action] optgroup[label] option')].map(({ value }) => value)",
		);
		assert.deepEqual(offered.toSorted(), [...AUDIT_ACTIONS].toSorted());
	});

	test("lets an auditor find the old and new values of a change by keyboard, and keeps the filters in the URL", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/audit");
		await page.getByText(/^Verified: all \d+ events are unaltered$/).waitFor();
		await tabTo(page, "What happened");
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
		await second.getByRole("button", { name: "Show all events with this value" }).last().click();
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
		await page.getByLabel("To whom or what").fill("ada");
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
		await page.getByLabel("Actor").fill("no such actor");
		await page.getByText("No events match").waitFor();
		await noAxeViolations(page);
		noTroubles(/400/);
	});

	test("exports the filtered events, and records the export", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/audit?action=application.updated");
		await page.locator(".lk-events__event").first().waitFor();
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export" }).click();
		await page.getByRole("menuitem", { name: /JSON Lines/ }).click();
		const file = await saved;
		assert.equal(file.suggestedFilename(), "audit-events.jsonl");
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
