// Console settings: mail, keys, providers, branding, tenants, and the state of the installation.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { submit } from "../harness/access/access-requests.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { type MailServer, startMailServer } from "../harness/mail/mail-server.ts";
import { mailIn } from "../harness/mail/mails.ts";
import { addContestedResource } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const HOSTILE = "<img src=x onerror=alert(1)> \u05e9\u05dc\u05d5\u05dd";

let mailServer: MailServer;
const refused = new Set<string>();
const startMail = async () => {
	mailServer = await startMailServer({ refusalOf: (address) => (refused.has(address) ? 550 : undefined) });
	return { LATCHKEY_SMTP_URL: mailServer.url };
};

describePages(
	"settings in the console",
	(pages) => {
		after(() => mailServer?.close());

		test("mail: filters by state and recipient, shows why delivery failed, and sends again", async () => {
			const { service } = pages;
			const email = "full.mailbox@partner.example";
			refused.add(email);
			await submit(service, { email });
			await mailIn(service, "failed", email);
			refused.clear();
			await submit(service, { email: "reached@partner.example" });
			await mailIn(service, "sent", "reached@partner.example");
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/mail");
			await page.getByRole("row").nth(1).getByText(email).waitFor();
			await page
				.getByRole("row", { name: /reached@partner\.example.* Sent/ })
				.first()
				.waitFor();
			assert.equal(await page.getByRole("row").getByText(email).count(), 1);
			assert.equal(await page.getByText("No mail server is set").count(), 0);
			await page.getByLabel("Status").selectOption({ label: "Failed" });
			const reached = page.getByRole("row", { name: /reached@partner/ });
			await reached.first().waitFor({ state: "detached" });
			await page
				.getByRole("row", { name: /Failed/ })
				.getByText(/550/)
				.waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: /^Actions for/ }).click();
			await page.getByRole("menuitem", { name: "Send again" }).click();
			await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
			await page.getByText("The email will be sent").waitFor();
			await mailServer.mailsTo(email);
			await mailIn(service, "sent", email);
			await page.getByRole("button", { name: "Reset filters" }).click();
			await page.getByLabel("Full email address of the recipient").fill("nobody@people.example");
			await page.getByText("No emails match").waitFor();
			await page.getByLabel("Full email address of the recipient").fill(email);
			await page.getByRole("row", { name: /Sent/ }).getByText(email).waitFor();
			assert.equal(await page.getByRole("button", { name: /^Actions for/ }).count(), 0);
			noTroubles();
		});

		test("mail: lists the mails of a bar that is chosen by keyboard, with its time in the URL", async () => {
			const { service } = pages;
			await submit(service, { email: "in.a.bar@partner.example" });
			await mailIn(service, "sent", "in.a.bar@partner.example");
			await eventually(
				async () => (await service.asAdmin("GET", "/api/v1/stats")).steps,
				(steps) => steps.some(({ mails_sent }) => mails_sent > 0),
			);
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/mail");
			const row = page.getByRole("row", { name: /in\.a\.bar@partner\.example/ }).first();
			await row.waitFor();
			const chart = page.getByRole("group", { name: /^Emails by outcome/ });
			await chart.focus();
			await page.keyboard.press("Home");
			await page.keyboard.press("Enter");
			await page.getByText("No emails match").waitFor();
			await page.keyboard.press("End");
			await page.keyboard.press("Enter");
			await row.waitFor();
			await page.getByText(/^Only emails created from .* to .*\.$/).waitFor();
			const { created_after, created_before } = Object.fromEntries(new URL(page.url()).searchParams);
			assert.equal(Date.parse(String(created_before)) - Date.parse(String(created_after)), 3_600_000);
			await assertAccessible(page);
			await page.goBack();
			await page.getByText("No emails match").waitFor();
			noTroubles();
		});

		test("keys: creates by keyboard, shows the key once, and revokes by name", async () => {
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/keys");
			await page.getByText("No admin keys").waitFor();
			await tabAndPress(page, "Create key");
			await page.getByRole("dialog", { name: "Create key" }).waitFor();
			await page.keyboard.type(HOSTILE);
			await page.keyboard.press("Enter");
			await page.getByText("Choose at least one role.").waitFor();
			await tabAndPress(page, "Auditor", "Space");
			await page.keyboard.press("Enter");
			const key = await page
				.getByRole("dialog", { name: "New admin key" })
				.locator("code")
				.first()
				.textContent();
			const users = await pages.service.call("GET", "/api/v1/users", { token: key ?? "" });
			assert.equal(users.status, 200);
			await noAxeViolations(page);
			await page.getByRole("button", { name: "Done" }).click();
			await page.getByRole("rowheader", { name: HOSTILE }).waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: `Actions for \u2068${HOSTILE}\u2069` }).click();
			await page.getByRole("menuitem", { name: "Revoke" }).click();
			await page.getByLabel(/^Type “/).fill(HOSTILE);
			await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
			await page.getByText("No admin keys").waitFor();
			assert.equal((await pages.service.call("GET", "/api/v1/users", { token: key ?? "" })).status, 401);
			noTroubles();
		});

		test("providers: asks for the fields of each kind, and adds, changes, disables, and deletes one", async () => {
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/providers");
			await page.getByRole("button", { name: "Add provider" }).click();
			const dialog = page.getByRole("dialog", { name: "Add provider" });
			assert.equal(await dialog.getByLabel("Issuer").count(), 0);
			await dialog.getByLabel("Kind").selectOption({ label: "Apple" });
			await dialog.getByLabel("Team ID").waitFor();
			await dialog.getByLabel("Kind").selectOption({ label: "OpenID Connect" });
			await dialog.getByLabel("Name on the button").fill(HOSTILE);
			await dialog.getByLabel("Issuer").fill("https://login.partner.example");
			await dialog.getByLabel("Client ID").fill("latchkey");
			await dialog.getByLabel("Client secret", { exact: true }).fill("the secret the provider gave us");
			await dialog.getByLabel("Short name").fill("partner");
			await noAxeViolations(page);
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
			await page.getByText(`${PAGES_URL}/api/v1/auth/third-party/partner/callback`).waitFor();
			await assertAccessible(page);
			await page.getByLabel("Name on the button").fill("Partner");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByRole("heading", { level: 1, name: "Partner" }).waitFor();
			await page.getByRole("button", { name: "Disable" }).click();
			await page.getByText("The provider is disabled", { exact: true }).waitFor();
			await page.getByRole("button", { name: "Enable" }).waitFor();
			await page.getByRole("button", { name: "More actions" }).click();
			await page.getByRole("menuitem", { name: "Delete" }).click();
			await page.getByLabel(/^Type “/).fill("Partner");
			await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
			await page.getByText("No providers yet").waitFor();
			await noAxeViolations(page);
			noTroubles();
		});

		test("branding: shows a preview, then applies to the console", async () => {
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/branding");
			await page.getByLabel("Product name").fill(HOSTILE);
			await page.locator(".lk-branding__page").getByText(HOSTILE).first().waitFor();
			await page.getByLabel("Color", { exact: true }).fill("#ffee00");
			await page.getByText("The color is too light").waitFor();
			await page.getByLabel("Product name").fill("Looms");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The branding was changed").waitFor();
			const { data } = (await pages.service.call("GET", "/api/v1/branding")).body;
			assert.deepEqual([data.product_name, data.accent_color], ["Looms", "#ffee00"]);
			// The other fields keep the defaults of the installation.
			assert.deepEqual(data.customized, ["product_name", "accent_color"]);
			assert.equal(await page.title(), "Branding · Looms");
			await assertAccessible(page);
			// What was changed elsewhere meanwhile stays.
			const { product_name, accent_color } = data;
			const body = { product_name, accent_color, support_email: "help@looms.example" };
			await pages.service.call("PUT", "/api/v1/branding", { token: await pages.service.adminToken(), body });
			await page.getByLabel("Product name").fill("Looms and more");
			await page.getByRole("button", { name: "Save" }).click();
			await eventually(
				() => page.title(),
				(title) => title === "Branding · Looms and more",
			);
			const after = (await pages.service.call("GET", "/api/v1/branding")).body.data;
			assert.deepEqual(after.customized, ["product_name", "accent_color", "support_email"]);
			assert.equal(await page.getByLabel("Support address").inputValue(), "help@looms.example");
			// An emptied field inherits again, and shows what it inherits.
			await page.getByLabel("Product name").fill("");
			await page.getByRole("button", { name: "Save" }).click();
			await eventually(
				() => page.title(),
				(title) => title === "Branding · Latchkey",
			);
			assert.equal(await page.getByLabel("Product name").inputValue(), "Latchkey");
			// Leaving with changes asks first.
			await page.getByLabel("Sign-in message").fill("Use your badge.");
			await page.getByRole("link", { name: "People" }).click();
			await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
			assert.equal(await page.getByLabel("Sign-in message").inputValue(), "Use your badge.");
			await page.getByRole("button", { name: "Discard" }).click();
			assert.equal(await page.getByLabel("Sign-in message").inputValue(), "");
			noTroubles();
		});

		test("tenants: creates one with its first administrator, changes, and finds it", async () => {
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/tenants");
			await page.getByRole("button", { name: "Create tenant" }).click();
			const dialog = page.getByRole("dialog", { name: "Create tenant" });
			await dialog.getByLabel("Name", { exact: true }).fill(HOSTILE);
			await dialog.getByLabel("Short name").fill("north");
			await dialog.getByLabel("Email address").fill("admin@north.example");
			await dialog.getByLabel("Password", { exact: true }).fill("the first admin of a tenant");
			await noAxeViolations(page);
			await page.keyboard.press("Enter");
			await page.getByRole("dialog").getByText(`${PAGES_URL}/sign-in?tenant=north`).waitFor();
			await page.getByRole("button", { name: "Done" }).click();
			await page.getByRole("button", { name: `Actions for \u2068${HOSTILE}\u2069` }).click();
			await page.getByRole("menuitem", { name: "Change" }).click();
			await page.getByLabel("Name", { exact: true }).fill("North");
			await page.getByLabel("Require a second factor").check();
			await page.getByLabel("Additional sender addresses, row 1").fill("shop@north.example");
			for (let added = 0; added < 2; added++)
				await page.getByRole("button", { name: "Add sender address" }).click();
			await page.keyboard.type("help@north.example");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByRole("row", { name: /North north Required/ }).waitFor();
			const [north] = await pages.service.asAdmin("GET", "/api/v1/tenants?q=north");
			assert.deepEqual(north?.sender_addresses, ["shop@north.example", "help@north.example"]);
			await page.getByLabel("Search name or short name").fill("nowhere");
			await page.getByText("No tenants match").waitFor();
			await assertAccessible(page);
			noTroubles();
		});

		test("tenants: assigns a contested API identifier", async () => {
			const resource = "https://contested.example/api";
			await addContestedResource(pages.service, resource);
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/tenants");
			const contested = page.getByRole("table", { name: "Contested API identifiers" });
			await contested.getByRole("row", { name: new RegExp(`${resource}.*second-\\d+.*Default`) }).waitFor();
			await assertAccessible(page);
			await contested.getByRole("button", { name: /^Actions for/ }).click();
			await page.getByRole("menuitem", { name: /^Assign to/ }).click();
			await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
			await contested.getByRole("row", { name: new RegExp(`${resource}.*Default.*second-\\d+`) }).waitFor();
			noTroubles();
		});

		test("installation: shows the results of the checks", async () => {
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/installation");
			await page.getByRole("row", { name: /^Settings OK Valid\.$/ }).waitFor();
			assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /\dT\d\d:\d\d/);
			await assertAccessible(page);
			noTroubles();
		});

		test("installation: a failed check is a task of the overview, and counts in the navigation", async () => {
			const { page, noTroubles } = await pages.openAs(ADMIN);
			await page.route("**/api/v1/installation", async (route) => {
				const response = await route.fetch();
				const body = await response.json();
				body.data.checks[0] = { ...body.data.checks[0], code: "disk.full", status: "fail" };
				await route.fulfill({ response, json: body });
			});
			await page.goto(`${PAGES_URL}/console`);
			const task = page
				.getByRole("region", { name: "For you" })
				.getByText("A check of the installation failed")
				.first();
			await task.waitFor();
			const entry = page.getByRole("link", { name: /^Installation/ }).first();
			await entry.getByText("failing").waitFor();
			await page.getByRole("link", { name: /A check of the installation failed/ }).click();
			await page.waitForURL(`${PAGES_URL}/console/installation`);
			noTroubles();
		});

		test("shows an auditor providers, but no keys, mail, or tenants, in Chinese", async () => {
			const auditor = await addPerson(pages.service, "only.reads", { roles: ["auditor"], locale: "zh-CN" });
			const { page, noTroubles } = await pages.openAs(auditor, "/console/providers");
			await page.getByText("还没有身份提供方").waitFor();
			assert.equal(await page.getByRole("button", { name: "添加提供方" }).count(), 0);
			for (const path of ["mail", "keys", "branding", "tenants", "installation"]) {
				assert.equal(await page.locator(`a[href="/console/${path}"]`).count(), 0);
				await page.goto(`${PAGES_URL}/console/${path}`);
				await page.getByText("页面不存在").waitFor();
			}
			noTroubles();
		});
	},
	startMail,
);
