import assert from "node:assert/strict";
import { test } from "node:test";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL } from "../harness/browser/pages.ts";
import { ADMIN } from "../harness/service/service.ts";

const FILE = `groups:
  Crew:
    description: At the counter
`;

describePages("records of a configuration file", (pages) => {
	test("are marked, ask before a change, and are copied as the export writes them", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const applied = await service.call("POST", "/api/v1/config/apply", { token, body: { document: FILE } });
		assert.equal(applied.status, 200, JSON.stringify(applied.body));
		const [crew] = (await service.call("GET", "/api/v1/groups?q=Crew", { token })).body.data;
		const description = async () =>
			(await service.call("GET", `/api/v1/groups/${crew?.id}`, { token })).body.data.description;
		const { page, context, noTroubles } = await pages.openAs(ADMIN, `/console/groups/${crew?.id}`);
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: PAGES_URL });
		await page.getByText("Managed by configuration").waitFor();
		await page.getByRole("button", { name: "Copy as YAML" }).click();
		await page.getByText("The YAML was copied.").waitFor();
		assert.equal(await page.evaluate("navigator.clipboard.readText()"), FILE);

		await page.getByRole("button", { name: "Edit", exact: true }).click();
		await page.getByLabel("What it is for").fill("At the door");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		const question = page.getByRole("dialog", { name: "Change a managed record?" });
		await question.waitFor();
		await question.getByRole("button", { name: "Copy as YAML" }).click();
		await page.getByText("Copied", { exact: true }).first().waitFor();
		assert.equal(
			await page.evaluate("navigator.clipboard.readText()"),
			FILE.replace("At the counter", "At the door"),
		);
		assert.equal(
			await question.locator("pre").textContent(),
			"  groups:\n    Crew:\n-     description: At the counter\n+     description: At the door",
		);
		await assertAccessible(page);
		await question.getByRole("button", { name: "Cancel" }).click();
		await page.getByText("The change was canceled.").first().waitFor();
		assert.equal(await description(), "At the counter");

		await page.getByRole("button", { name: "Save", exact: true }).click();
		await question.getByRole("button", { name: "Change it" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		assert.equal(await description(), "At the door");

		await page.getByRole("link", { name: "Last apply" }).click();
		await page.waitForURL(`${PAGES_URL}/console/audit?action=config.applied*`);
		await page
			.getByText(/applied a configuration to/)
			.first()
			.waitFor();
		noTroubles();
	});

	test("include the branding and the switches of the tenant", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const document = "branding: {product_name: Looms}\ntenant: {test_clients: true}\n";
		const applied = await service.call("POST", "/api/v1/config/apply", { token, body: { document } });
		assert.equal(applied.status, 200, JSON.stringify(applied.body));
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/branding");
		await page.getByText("Managed by configuration").waitFor();
		await page.getByLabel("Product name").fill("Shuttles");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		const question = page.getByRole("dialog", { name: "Change a managed record?" });
		await question.getByText("+   product_name: Shuttles").waitFor();
		await question.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Discard", exact: true }).click();

		await page.goto(`${PAGES_URL}/console/tenants`);
		await page.getByText("Managed by configuration").waitFor();
		await page
			.getByRole("button", { name: /^Actions for / })
			.first()
			.click();
		await page.getByRole("menuitem", { name: "Change" }).click();
		await page
			.getByLabel(/test client/i)
			.first()
			.uncheck();
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await question.getByText("-   test_clients: true").waitFor();
		await assertAccessible(page);
		await question.getByRole("button", { name: "Change it" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		noTroubles();
	});

	test("that no file has are changed without a question", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const { data } = (await service.call("POST", "/api/v1/groups", { token, body: { name: "By hand" } }))
			.body;
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/groups/${data.id}`);
		await page.getByRole("button", { name: "Copy as YAML" }).waitFor();
		await page.getByRole("button", { name: "Edit", exact: true }).click();
		await page.getByLabel("What it is for").fill("Anything");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		assert.equal(await page.getByText("Managed by configuration").count(), 0);
		noTroubles();
	});
});
