// `/console/people`: what administrators and auditors see and do.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { addPerson, lockPassword, type Person, signInAgain } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const MARKUP = `<img src=x onerror="document.title='run'">`;
const RIGHT_TO_LEFT = "ليلى حداد";

describePages("/console/people", (pages) => {
	let ana: Person;
	let auditor: Person;
	let applicationId: string;
	before(async () => {
		const { service } = pages;
		ana = await addPerson(service, "ana.lopez", { display_name: "Ana López" });
		auditor = await addPerson(service, "audrey", { display_name: "Audrey Reads", roles: ["auditor"] });
		await addPerson(service, "marked.up", { display_name: MARKUP });
		await addPerson(service, "layla", { display_name: RIGHT_TO_LEFT });
		const token = await service.adminToken();
		const application = await service.call("POST", "/api/v1/applications", {
			token,
			body: { name: `Orders ${RIGHT_TO_LEFT} ${MARKUP}` },
		});
		applicationId = application.body.data.id;
		await service.call("POST", `/api/v1/applications/${applicationId}/roles`, {
			token,
			body: { name: "clerk", permissions: ["orders:read"] },
		});
	});

	const heading = (page: Page, name: string | RegExp) =>
		page.getByRole("heading", { level: 1, name }).waitFor();
	const onlyRow = (page: Page, name: string) =>
		page.locator("tbody:not(:has(tr + tr))").getByRole("rowheader", { name }).waitFor();
	const act = async (page: Page, name: string) => {
		await page.getByRole("button", { name: "Actions", exact: true }).click();
		await page.getByRole("menuitem", { name }).click();
	};

	test("is searched by keyboard, and keeps search and filters in the URL", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/people");
		await page.getByRole("row", { name: /Audrey Reads/ }).waitFor();
		await assertAccessible(page);
		await page.keyboard.press("/");
		await page.keyboard.type("LÓPEZ");
		await page.waitForURL(/q=L/);
		await page.keyboard.press("ControlOrMeta+A");
		await page.keyboard.type("lopez");
		await page.waitForURL(/q=lopez$/);
		await onlyRow(page, "Ana López");
		await tabAndPress(page, /^(?!Select ).*Ana López/);
		await heading(page, "Ana López");
		await page.goBack();
		await onlyRow(page, "Ana López");
		assert.equal(await page.getByRole("searchbox").inputValue(), "lopez");
		await page.getByRole("button", { name: "Reset filters" }).click();
		await page.getByLabel("Roles", { exact: true }).selectOption({ label: "Auditor" });
		await page.waitForURL(/role=auditor/);
		await onlyRow(page, "Audrey Reads");
		await page.getByRole("button", { name: "Reset filters" }).click();
		await page.getByRole("searchbox").fill(ana.id);
		await onlyRow(page, "Ana López");
		await page.getByRole("searchbox").fill("no such person");
		await page.getByText("No people match").waitFor();
		noTroubles();
	});

	test("is sorted by column headers or a menu, with the order in the URL", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/people?q=a");
		const usernames = () => page.locator("tbody td:nth-child(3) bdi").allTextContents();
		const shows = async (first: string) => {
			await page.locator("tbody tr:first-child td:nth-child(3)").getByText(first, { exact: true }).waitFor();
			return usernames();
		};
		await shows("layla");
		await tabAndPress(page, "Username");
		await page.waitForURL(/sort=username$/);
		const ascending = await shows("admin");
		assert.deepEqual(ascending, ascending.toSorted());
		await page.keyboard.press("Enter");
		await page.waitForURL(/sort=-username$/);
		assert.deepEqual(await shows("marked.up"), ascending.toReversed());
		await page
			.getByRole("columnheader", { name: "Username" })
			.and(page.locator("[aria-sort=descending]"))
			.waitFor();
		assert.equal(await page.getByLabel("Sort", { exact: true }).inputValue(), "-username");
		await page.getByRole("button", { name: "Reset filters" }).click();
		await page.waitForURL(/people\?sort=-username$/);
		await page.reload();
		assert.deepEqual(await shows("marked.up"), ascending.toReversed());
		await page.getByLabel("Sort", { exact: true }).selectOption({ label: "Last sign-in, newest first" });
		await page.waitForURL(/sort=-last_login_at$/);
		await shows("admin");
		await assertAccessible(page);
		noTroubles();
	});

	test("explains why a person lacks a permission, and after a grant why they have it", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/people/${ana.id}`);
		await heading(page, "Ana López");
		await page.getByText("Not signed in anywhere.").or(page.getByText("127.0.0.1").first()).waitFor();
		await page.getByRole("button", { name: "Start a check" }).click();
		await page.locator("[name=app_id]:focus").waitFor();
		await page.keyboard.press("Tab");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		// The focus moves to the missing field.
		await page.locator("[name=app_id]:focus").waitFor();
		await page.getByLabel("Application", { exact: true }).selectOption({ index: 1 });
		await page.getByLabel("Permission").fill("orders:read");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByText(/does not have .*orders:read/).waitFor();
		await page.getByText(/a grant with one of these roles: .*clerk/).waitFor();
		await assertAccessible(page);
		await page.getByLabel("At", { exact: true }).fill("2026-01-01T12:00");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByText("Roles and permissions are the same now.").waitFor();
		await page.getByLabel("At", { exact: true }).fill("");
		const token = await pages.service.adminToken();
		const path = `/api/v1/applications/${applicationId}/grants/users/${ana.id}` as const;
		const { status } = await pages.service.call("PUT", path, { token, body: { roles: ["clerk"] } });
		assert.ok(status === 200 || status === 201);
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByText(/direct grant has the role .*clerk/).waitFor();
		await page.getByLabel("At", { exact: true }).fill("2026-01-01T12:00");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByText("The account did not exist.").waitFor();
		await page.getByRole("row", { name: /^Access no yes$/ }).waitFor();
		await page.getByRole("row", { name: /^Roles in the application nothing .*clerk$/ }).waitFor();
		await assertAccessible(page);
		noTroubles();
	});

	test("invites a person, repeats the invitation, edits, disables, and deletes them", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/people");
		await page.getByRole("button", { name: "Add a person" }).first().waitFor();
		await tabAndPress(page, "Add a person");
		const dialog = page.getByRole("dialog", { name: "Add a person" });
		await dialog.waitFor();
		await page.keyboard.press("Enter");
		await dialog.getByText("Enter an email address.").waitFor();
		await dialog.getByText("Enter a username of at least 3 characters.").waitFor();
		await dialog.locator("[name=email]:focus").waitFor();
		await page.keyboard.type("ana.lopez@people.example");
		await noAxeViolations(page);
		await page.keyboard.press("Enter");
		await dialog.getByText("username", { exact: false }).first().waitFor();
		await dialog.locator("[aria-invalid=true], [data-form-error]").first().waitFor();
		await dialog.getByLabel("Email", { exact: true }).fill("new.person@people.example");
		assert.equal(await dialog.getByLabel("Username").inputValue(), "new.person");
		await dialog.getByLabel("Name", { exact: true }).fill(`${MARKUP} ${RIGHT_TO_LEFT}`);
		await dialog.getByLabel("Reviewer").check();
		await dialog.getByRole("button", { name: "Send invitation" }).click();
		await heading(page, MARKUP);
		await page.getByText("The invitation for new.person@people.example was written to a file").waitFor();
		await page.getByText("The invitation has not been accepted yet").waitFor();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Invite again" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Invite again" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		assert.equal((await pages.service.mailsTo("new.person@people.example", 2)).length, 2);
		await page.getByRole("button", { name: "Edit" }).click();
		await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("New Person");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await heading(page, "New Person");
		await act(page, "Disable account");
		const confirm = page.getByRole("dialog").getByRole("button", { name: "Disable account" });
		await confirm.click();
		await page.getByText("This account is disabled").waitFor();
		await act(page, "Delete account");
		await page.keyboard.type("new.person");
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/console/people`);
		await page.getByText(/New Person.*account was deleted/).waitFor();
		await page.getByRole("rowheader", { name: "Ana López" }).waitFor();
		await page.getByRole("rowheader", { name: "New Person" }).waitFor({ state: "detached" });
		await page.goto(`${PAGES_URL}/console/mail`);
		await page
			.getByText("Emails are written to files in the data directory; no one receives them.")
			.waitFor();
		await assertAccessible(page);
		noTroubles(/ 4\d\d /);
	});

	test("gives a person access and a group, and undoes what can be undone", async () => {
		const { service } = pages;
		const bo = await addPerson(service, "bo.lund", { display_name: "Bo Lund" });
		const { id: groupId } = await service.asAdmin("POST", "/api/v1/groups", { name: "Night shift" });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/people/${bo.id}`);
		await page.getByRole("button", { name: "Give access" }).click();
		await page
			.getByRole("dialog")
			.getByRole("radio", { name: /Orders/ })
			.check();
		await page.getByRole("dialog").getByRole("checkbox", { name: /clerk/ }).check();
		await page.getByRole("dialog").getByRole("button", { name: "Give access" }).click();
		const grant = page.getByRole("row", { name: /Orders.*clerk/ });
		await grant.waitFor();
		await page.getByRole("button", { name: "Add to group" }).click();
		await page.getByRole("dialog").getByRole("radio", { name: "Night shift" }).check();
		await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
		await page.getByRole("link", { name: "Night shift" }).waitFor();
		const members = await service.asAdmin("GET", `/api/v1/groups/${groupId}/members`);
		assert.equal(members.length, 1);

		const orders = page.getByRole("row", { name: /Orders/ });
		const setClerk = async (isClerk: boolean) => {
			await orders.getByRole("button", { name: /^Actions for/ }).click();
			await page.getByRole("menuitem", { name: "Change roles…" }).click();
			await page.getByRole("dialog").getByRole("checkbox", { name: /clerk/ }).setChecked(isClerk);
			await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		};
		await setClerk(false);
		await orders.filter({ hasNotText: "clerk" }).waitFor();
		await setClerk(true);
		await grant.waitFor();

		await grant.getByRole("button", { name: /^Actions for/ }).click();
		await page.getByRole("menuitem", { name: "Remove access…" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Remove access" }).click();
		await grant.waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Undo" }).click();
		await grant.waitFor();

		await act(page, "Disable account");
		await page.getByRole("dialog").getByRole("button", { name: "Disable account" }).click();
		await page.getByText("This account is disabled").waitFor();
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("This account is disabled").waitFor({ state: "detached" });
		noTroubles();
	});

	test("unlocks a person, signs them out, and sends a password reset", async () => {
		const { service } = pages;
		await lockPassword(service, ana);
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/people/${ana.id}`);
		await page.getByText("This account is locked").waitFor();
		await page.getByRole("button", { name: "Unlock" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Unlock" }).click();
		await page.getByText("This account is locked").waitFor({ state: "detached" });
		await signInAgain(service, ana);
		await page.reload();
		const rows = page.getByRole("table", { name: "Sessions" }).locator("tbody tr");
		await rows.nth(1).waitFor();
		const before = await rows.count();
		await rows.first().getByRole("button").click();
		await page.getByRole("menuitem", { name: "End session" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
		await rows.nth(before - 1).waitFor({ state: "detached" });
		await page.getByRole("button", { name: "End all sessions" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "End all sessions" }).click();
		await page.getByText("Not signed in anywhere.").waitFor();
		await act(page, "Send password reset");
		await page.getByRole("dialog").getByRole("button", { name: "Send password reset" }).click();
		await page.getByText(/A link was sent to/).waitFor();
		assert.equal((await service.mailsTo(ana.email, 1)).length >= 1, true);
		noTroubles();
	});

	test("pages through the sessions of a person, and reloads the page after one has ended", async () => {
		const { service } = pages;
		const many = await addPerson(service, "many.devices");
		for (let n = 0; n < 21; n++) await signInAgain(service, many, { "user-agent": `Probe/${n}` });
		const { page, requests, noTroubles } = await pages.openAs(ADMIN, `/console/people/${many.id}`);
		const table = page.getByRole("table", { name: "Sessions" });
		const rows = table.locator("tbody tr");
		const next = page.getByRole("button", { name: "Next", exact: true });
		const later = () => requests.filter((request) => request.includes("/sessions?")).length;
		await page.getByText("1–5 of 22").waitFor();
		for (const range of ["6–10 of 22", "11–15 of 22", "16–20 of 22"]) {
			await next.click();
			await page.getByText(range).waitFor();
		}
		assert.equal(later(), 0);
		await next.click();
		await page.getByText("21–22 of 22").waitFor();
		await rows.nth(1).waitFor();
		assert.deepEqual([await rows.count(), later()], [2, 1]);
		for (const left of [1, 5]) {
			await rows.first().getByRole("button").click();
			await page.getByRole("menuitem", { name: "End session" }).click();
			await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
			await page.getByRole("dialog").waitFor({ state: "detached" });
			await page.getByText(left === 1 ? "21–21 of 21" : "16–20 of 20").waitFor();
			await rows.nth(left).waitFor({ state: "detached" });
			assert.equal(await rows.count(), left);
		}
		noTroubles();
	});

	test("disables the selected people one by one, lists who could not be, and undoes it", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const people: Person[] = [];
		for (const username of ["bulk.one", "bulk.two", "bulk.three"])
			people.push(await addPerson(service, username, { display_name: `Bulk ${username}` }));
		const { page, troubles } = await pages.openAs(ADMIN, "/console/people?q=bulk");
		const gone = `/api/v1/users/${people[1]?.id}`;
		const failures: string[] = [];
		page.on("response", (response) => {
			if (response.status() >= 400) failures.push(new URL(response.url()).pathname);
		});
		const statuses = async () => {
			const { body } = await service.call("GET", "/api/v1/users?q=bulk&sort=username", { token });
			return body.data.map(({ status }) => status);
		};
		await page.getByRole("link", { name: /bulk\.one/ }).focus();
		await page.keyboard.press("x");
		await page.getByText("1 selected").waitFor();
		await page.getByRole("checkbox", { name: "Select all on this page" }).click();
		await page.getByText("3 selected").waitFor();
		await assertAccessible(page);
		// Only when the run has begun: the list is renewed, which would drop the row.
		await page.route(
			"**/api/v1/users/*",
			async (route) => {
				await service.call("DELETE", gone as "/api/v1/users/{id}", { token });
				await route.continue();
			},
			{ times: 1 },
		);
		await page
			.getByRole("region", { name: "Selected rows" })
			.getByRole("button", { name: "Disable" })
			.click();
		await page.getByRole("heading", { name: "Disable 3 people?" }).waitFor();
		await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
		await page.getByRole("heading", { name: "1 couldn't be changed" }).waitFor();
		await page.getByRole("dialog").getByText("Bulk bulk.two: ").waitFor();
		await page.getByText("2 of 3 done").waitFor();
		assert.deepEqual(await statuses(), ["disabled", "disabled"]);
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("2 of 2 done").waitFor();
		assert.deepEqual(await statuses(), ["active", "active"]);
		await page.locator(".lk-table__select input:focus").waitFor();
		assert.deepEqual(failures, [gone]);
		// The browser reports that one response, without its URL.
		assert.equal(troubles.length, 1);
		assert.match(troubles[0] ?? "", /status of 404/);
	});

	test("offers an auditor no changes, in Chinese", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, `/console/people/${ana.id}`, {
			locale: "zh-CN",
		});
		await heading(page, "Ana López");
		await page.getByRole("heading", { name: "最近事件" }).scrollIntoViewIfNeeded();
		await page.getByRole("listitem").filter({ hasText: "ana.lopez" }).first().waitFor();
		for (const name of ["编辑", "操作", "结束所有会话", "开始查询"])
			assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
		await page.getByRole("link", { name: "人员" }).last().click();
		await heading(page, "人员");
		assert.equal(await page.getByRole("button", { name: "添加人员" }).count(), 0);
		noTroubles();
	});

	test("shows a total, only columns that differ, rows of 40 px, and a navigation that fits 720 px", async () => {
		const { service } = pages;
		const admin = await addPerson(service, "nils.admin", { roles: ["admin"] });
		const { page, noTroubles } = await pages.openAs(admin, "/console/people?q=nils.admin", {
			viewport: { width: 1_280, height: 720 },
		});
		await page.getByRole("row", { name: /nils\.admin/ }).waitFor();
		assert.equal(await page.locator(".lk-page-header__total").textContent(), "1");
		assert.equal(await page.getByRole("columnheader", { name: "Status" }).count(), 0);
		assert.equal(await page.getByRole("columnheader", { name: "Roles" }).count(), 1);
		const measured = () =>
			page.evaluate<number[]>(
				`[document.querySelector("tbody tr").offsetHeight, ...["scrollHeight", "clientHeight"].map((name) => document.querySelector(".lk-console__nav")[name])]`,
			);
		const [row, content, height] = await measured();
		assert.equal(row, 40);
		assert.ok((content ?? 0) <= (height ?? 0), `${content} > ${height}`);
		await assertAccessible(page);
		await page.setViewportSize({ width: 390, height: 844 });
		const labels = await page.evaluate<string[]>(
			`[...document.querySelectorAll("tbody td")].filter((cell) => cell.checkVisibility()).map((cell) => cell.dataset.label)`,
		);
		assert.deepEqual(labels, ["Roles", "Last sign-in"]);
		noTroubles();
	});
});
