// Actions on selected rows: they run row by row, wait and stop on request, and continue.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { addApiClient, addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { addGroup } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible } from "../harness/browser/pages.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { ADMIN, type TestService } from "../harness/service/service.ts";

const PEOPLE = "/console/people?q=row.&sort=username";

const addPeople = async (service: TestService): Promise<Person[]> => {
	const people: Person[] = [];
	for (const name of ["one", "two", "three"])
		people.push(await addPerson(service, `row.${name}`, { display_name: `Row ${name}` }));
	return people;
};
const statusesOf = async (service: TestService) =>
	(await service.asAdmin("GET", "/api/v1/users?q=row.&sort=username")).map(({ status }) => status);
/** Rounded to days; `""` for no end. */
const endIn = (service: TestService, end: string | null) =>
	end === null ? "" : ` in ${Math.round((Date.parse(end) - service.clock.now()) / 86_400_000)} days`;
const bar = (page: Page) => page.getByRole("region", { name: "Selected rows" });
const dialog = (page: Page) => page.getByRole("dialog");
const selectAll = async (page: Page, count = 3) => {
	await page
		.getByRole("checkbox", { name: /^Select .*(?:one|Client)/ })
		.first()
		.waitFor();
	await page.getByRole("checkbox", { name: "Select all on this page" }).check();
	await page.getByText(`${count} selected`).waitFor();
};
const choose = (page: Page, action: string) => bar(page).getByRole("button", { name: action }).click();
const confirm = (page: Page, label: string) =>
	dialog(page).getByRole("button", { name: label, exact: true }).click();

describePages("actions on selected rows", (pages) => {
	let people: readonly Person[];
	before(async () => {
		people = await addPeople(pages.service);
	});
	const statuses = () => statusesOf(pages.service);

	test("wait as long as the service asks, stop when it is unreachable, and continue where they stopped", async () => {
		const { page, troubles } = await pages.openAs(ADMIN, PEOPLE);
		await page.clock.install();
		await selectAll(page);
		const answers: ("limit" | "abort" | "continue")[] = ["continue", "limit", "limit", "continue", "abort"];
		let changes = 0;
		await page.route("**/api/v1/users/*", async (route) => {
			if (route.request().method() !== "PATCH") return route.continue();
			changes += 1;
			const answer = answers.shift() ?? "continue";
			if (answer === "abort") return route.abort();
			if (answer === "continue") return route.continue();
			return route.fulfill({
				status: 429,
				headers: { "retry-after": "60", "content-type": "application/problem+json" },
				body: JSON.stringify({ code: "request.too_many", detail: "too many requests" }),
			});
		});
		await choose(page, "Disable");
		await confirm(page, "Disable");
		const waiting = dialog(page).getByText("Too many requests. Continuing in 60 seconds.");
		await waiting.waitFor();
		await dialog(page).getByText("1 of 3").waitFor();
		await page.keyboard.press("Escape");
		await confirm(page, "Stop");
		await dialog(page).getByText("1 of 3 done, stopped", { exact: true }).waitFor();
		assert.equal(changes, 2);
		await assertAccessible(page);

		await confirm(page, "Continue");
		await waiting.waitFor();
		await page.clock.fastForward(59_000);
		assert.equal(changes, 3);
		await page.clock.fastForward(1_000);
		await dialog(page).getByText("2 of 3 done, stopped: No response arrived.").waitFor();
		await page.locator("[data-form-error]:focus").waitFor();
		assert.deepEqual((await statuses()).toSorted(), ["active", "disabled", "disabled"]);
		await confirm(page, "Continue");
		await page.getByText("3 of 3 done").waitFor();
		await dialog(page).waitFor({ state: "detached" });
		assert.deepEqual(await statuses(), ["disabled", "disabled", "disabled"]);
		assert.equal(changes, 6);
		await page.getByRole("button", { name: "Undo" }).click();
		await page.locator("tbody .lk-row-box:focus").waitFor();
		assert.deepEqual(await statuses(), ["active", "active", "active"]);
		assert.deepEqual(
			troubles.filter((trouble) => !/status of 429|ERR_FAILED/.test(trouble)),
			[],
		);
	});

	test("keep the remaining rows selected after a stopped run", async () => {
		const { page } = await pages.openAs(ADMIN, PEOPLE);
		await selectAll(page);
		await page.route("**/api/v1/users/*/sessions/revoke", (route) =>
			route
				.request()
				.url()
				.includes(people[0]?.id ?? "")
				? route.continue()
				: route.abort(),
		);
		await page.getByRole("checkbox", { name: "Select Row three" }).uncheck();
		await choose(page, "End sessions");
		await confirm(page, "End sessions");
		await dialog(page).getByText("1 of 2 done, stopped: ").waitFor();
		await page.keyboard.press("Escape");
		await dialog(page).waitFor({ state: "detached" });
		await page.getByText("1 selected").waitFor();
		assert.equal(await page.getByRole("checkbox", { name: "Select Row two" }).isChecked(), true);
		const events = await auditOf(pages.service, `user:${people[0]?.id}`);
		assert.equal(events.at(-1)?.action, "user.sessions_revoked");
		// It had the focus earlier.
		await page.locator(".lk-bulk button:focus").waitFor();
		await page.keyboard.press("Escape");
		await bar(page).waitFor({ state: "detached" });
		await page.locator("tbody .lk-row-box:focus").waitFor();
	});

	test("are undone while another action runs", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, PEOPLE);
		await page.getByRole("checkbox", { name: "Select Row one" }).check();
		await choose(page, "Disable");
		await confirm(page, "Disable");
		await page.getByText("1 of 1 done").waitFor();
		await page.getByRole("row", { name: /Row one.*Disabled/ }).waitFor();
		const held = Promise.withResolvers<void>();
		await page.route(`**/api/v1/users/${people[1]?.id}`, async (route) => {
			await held.promise;
			await route.continue();
		});
		for (const name of ["two", "three"])
			await page.getByRole("checkbox", { name: `Select Row ${name}` }).check();
		await choose(page, "Disable");
		await confirm(page, "Disable");
		await dialog(page).getByText("1 of 2").waitFor();
		await page.getByRole("button", { name: "Undo" }).click();
		await page
			.getByRole("row", { name: /Row one.*Disabled/, includeHidden: true })
			.waitFor({ state: "detached" });
		await dialog(page).getByRole("heading", { name: "Disable 2 people?" }).waitFor();
		assert.deepEqual(await statuses(), ["active", "disabled", "active"]);
		held.resolve();
		await page.getByText("2 of 2 done").waitFor();
		await dialog(page).waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByRole("row", { name: /Row two.*Disabled/ }).waitFor({ state: "detached" });
		assert.deepEqual(await statuses(), ["active", "active", "active"]);
		noTroubles();
	});

	test("add people to a group, and undo removes only those who were not in it", async () => {
		const { service } = pages;
		const { id } = await addGroup(service, [people[1]?.id ?? ""], { name: "Weavers" });
		const members = async () => {
			const found = await service.asAdmin("GET", `/api/v1/groups/${id}/members`);
			return found.map(({ username, expires_at }) => username + endIn(service, expires_at)).toSorted();
		};
		const { page, noTroubles } = await pages.openAs(ADMIN, PEOPLE);
		await selectAll(page);
		await choose(page, "Add to group");
		await dialog(page).getByRole("heading", { name: "Add 3 people to a group" }).waitFor();
		await confirm(page, "Add to group");
		await dialog(page).getByText("Choose one.").waitFor();
		await dialog(page).getByRole("radio", { name: "Weavers" }).check();
		await dialog(page).getByLabel("Access ends").selectOption({ label: "In 1 week" });
		await assertAccessible(page);
		await confirm(page, "Add to group");
		await page.getByText("3 of 3 done").waitFor();
		assert.deepEqual(await members(), ["row.one in 7 days", "row.three in 7 days", "row.two in 7 days"]);
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("3 of 3 done").waitFor();
		assert.deepEqual(await members(), ["row.two"]);
		noTroubles();
	});

	test("give people access, keep the roles they have, and undo restores these", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Looms" });
		for (const role of ["reader", "writer"]) await addRole(service, id, role, [`looms:${role}`]);
		await putGrant(service, id, people[0]?.id ?? "", ["reader"]);
		const grants = async () => {
			const found = await service.asAdmin("GET", `/api/v1/applications/${id}/grants`);
			return found
				.map(
					({ username, roles, expires_at }) =>
						[username, ...roles.toSorted()].join(" ") + endIn(service, expires_at),
				)
				.toSorted();
		};
		const { page, noTroubles } = await pages.openAs(ADMIN, PEOPLE);
		await selectAll(page);
		await choose(page, "Give access");
		await dialog(page).getByRole("radio", { name: "Looms" }).check();
		await dialog(page).getByRole("checkbox", { name: "writer" }).check();
		await dialog(page).getByLabel("Access ends").selectOption({ label: "In 30 days" });
		await assertAccessible(page);
		await confirm(page, "Give access");
		await page.getByText("3 of 3 done").waitFor();
		const given = ["row.one reader writer", "row.three writer", "row.two writer"];
		assert.deepEqual(
			await grants(),
			given.map((grant) => `${grant} in 30 days`),
		);
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("3 of 3 done").waitFor();
		assert.deepEqual(await grants(), ["row.one reader"]);
		noTroubles();
	});

	test("undo restores the roles that each person had, even if the choice changed while the run was stopped", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Dye works" });
		for (const role of ["reader", "writer"]) await addRole(service, id, role, [`dyes:${role}`]);
		await putGrant(service, id, people[0]?.id ?? "", ["reader"]);
		const grants = async () => {
			const found = await service.asAdmin("GET", `/api/v1/applications/${id}/grants`);
			return found.map(({ username, roles }) => [username, ...roles.toSorted()].join(" ")).toSorted();
		};
		const { page } = await pages.openAs(ADMIN, PEOPLE);
		await selectAll(page);
		// Sorted by username: one, three, two.
		const second = `**/grants/users/${people[2]?.id}`;
		await page.route(second, (route) => route.abort());
		await choose(page, "Give access");
		await dialog(page).getByRole("radio", { name: "Dye works" }).check();
		await dialog(page).getByRole("checkbox", { name: "writer" }).check();
		await confirm(page, "Give access");
		await dialog(page).getByText("1 of 3 done, stopped: ").waitFor();
		await page.unroute(second);
		await dialog(page).getByRole("checkbox", { name: "writer" }).uncheck();
		await confirm(page, "Continue");
		await page.getByText("3 of 3 done").waitFor();
		assert.deepEqual(await grants(), ["row.one reader writer", "row.three", "row.two"]);
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("3 of 3 done").waitFor();
		assert.deepEqual(await grants(), ["row.one reader"]);
	});

	test("disable and enable API clients", async () => {
		const { service } = pages;
		const { id: app_id } = await addApplication(service, { name: "Mill" });
		for (const name of ["Client a", "Client b"]) await addApiClient(service, { app_id, name });
		const clients = async () => {
			const found = await service.asAdmin("GET", `/api/v1/api-clients?app_id=${app_id}`);
			return found.map(({ status }) => status);
		};
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/clients?app_id=${app_id}`);
		await selectAll(page, 2);
		await choose(page, "Disable");
		await confirm(page, "Disable");
		await page.getByText("2 of 2 done").waitFor();
		assert.deepEqual(await clients(), ["disabled", "disabled"]);
		await page.getByRole("row", { name: /Client b.*Disabled/ }).waitFor();
		await selectAll(page, 2);
		await page.getByRole("checkbox", { name: "Select Client b" }).uncheck();
		await choose(page, "Enable");
		await confirm(page, "Enable");
		await page.getByText("1 of 1 done").waitFor();
		assert.deepEqual((await clients()).toSorted(), ["active", "disabled"]);
		noTroubles();
	});
});

describePages(
	"actions on selected rows at the rate limit",
	(pages) => {
		test("wait for the next minute, and change every row", async () => {
			const { service } = pages;
			await addPeople(service);
			const { page } = await pages.openAs(ADMIN, PEOPLE);
			await page.clock.install();
			await selectAll(page);
			// Another program behind the same IP address.
			while ((await service.call("GET", "/health")).status !== 429);
			await choose(page, "Disable");
			await confirm(page, "Disable");
			await dialog(page)
				.getByText(/Too many requests. Continuing in \d+ seconds?\./)
				.waitFor();
			service.clock.advance(60_000);
			await page.clock.fastForward(60_000);
			await page.getByText("3 of 3 done").waitFor();
			assert.deepEqual(await statusesOf(service), ["disabled", "disabled", "disabled"]);
		});
	},
	() => ({ LATCHKEY_RATE_LIMIT_PER_MINUTE: "60" }),
);
