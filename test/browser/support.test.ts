import assert from "node:assert/strict";
import { test } from "node:test";
import { APPLICATIONS, addApplication, putGrant } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSupporter, createSupport, REASON, SUPPORT, signInInBrowser } from "../harness/people/support.ts";
import { ADMIN } from "../harness/service/service.ts";

describePages("a support session", (pages) => {
	test("begins in the console, names the supporter and the reason, and ends with a button", async () => {
		const { service } = pages;
		const ada = await addPerson(service, "ada");
		const { id } = await addApplication(service, { name: "Ledger" });
		await putGrant(service, id, ada.id, []);
		await service.asAdmin("PATCH", `${APPLICATIONS}/${id}`, { support_sessions: true });
		await addApplication(service, { name: "Closed" });
		const sam = await addSupporter(service, "sam", ["auditor", "supporter"]);
		const { cookie } = await signInInBrowser(service, sam, PAGES_URL);
		const { page, context, noTroubles } = await pages.open();
		const [name = "", value = ""] = cookie.split("=", 2);
		const options = { url: PAGES_URL, secure: true, httpOnly: true, sameSite: "Lax" as const };
		await context.addCookies([{ name, value, ...options }]);
		await page.goto(`${PAGES_URL}/console/people/${ada.id}`);
		await page.getByRole("button", { name: "Support session" }).click();
		await page.getByLabel("Reason").fill(REASON);
		const choices = page.getByRole("combobox", { name: "Application", exact: true }).getByRole("option");
		await choices.filter({ hasText: "Ledger" }).waitFor({ state: "attached" });
		assert.deepEqual(await choices.allTextContents(), ["The account only", "Ledger"]);
		await page.getByRole("combobox", { name: "Application", exact: true }).selectOption("Ledger");
		await page.getByLabel("Duration").selectOption("15 minutes");
		await assertAccessible(page);
		await page.getByRole("button", { name: "Create and continue" }).click();
		await page.getByRole("button", { name: "Open the account" }).click();
		await page.getByText("sam is reading the account of ada").waitFor();
		const { data: sessions } = (await service.call("GET", SUPPORT, { token: await service.adminToken() }))
			.body;
		const [stored] = sessions;
		assert.equal(stored?.app_id, id);
		assert.equal(Date.parse(stored.expires_at) - Date.parse(stored.created_at), 15 * 60_000);
		await page.getByText(REASON).waitFor();
		await page.getByText("Ledger").waitFor();
		assert.equal(new URL(page.url()).hash, "");
		await assertAccessible(page);
		await page.getByRole("button", { name: "End", exact: true }).click();
		await page.getByRole("heading", { name: "The support session has ended" }).waitFor();
		noTroubles();
		const own = await pages.openAs(ada, "/account/access");
		await own.page.getByText(REASON).waitFor();
		own.noTroubles();
	});

	test("is listed for administrators, who end one", async () => {
		const { service } = pages;
		const bea = await addPerson(service, "bea");
		await createSupport(service, await addSupporter(service, "tom"), bea.id);
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/people");
		await page.getByRole("link", { name: "Support sessions" }).click();
		const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "bea", exact: true }) });
		await row.getByText("Not opened").waitFor();
		await assertAccessible(page);
		await row.getByRole("button", { name: "Actions for bea" }).click();
		await page.getByRole("menuitem", { name: "End session" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
		await row.getByText("Ended", { exact: true }).waitFor();
		noTroubles();
	});
});
