// `/console/webhooks`: adding a webhook, its secret, its deliveries, and the view of an auditor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { submit } from "../harness/access/access-requests.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";
import { RECEIVER_NETWORK, startWebhookReceiver, verified } from "../harness/webhooks/webhook-receiver.ts";
import { addWebhook, deliveriesOf, eventually, getWebhook } from "../harness/webhooks/webhooks.ts";

const HOSTILE = "<img src=x onerror=alert(1)> مرحبا \u05d0\u05d1 evil";

describePages(
	"/console/webhooks",
	(pages) => {
		const receiver = fixture(() => startWebhookReceiver(), "close");

		test("adds a webhook by keyboard, shows its secret once, and delivers events", async () => {
			const { service } = pages;
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/webhooks");
			await page.getByText("No webhooks yet").waitFor();
			await tabAndPress(page, "Add webhook");
			await page.getByRole("dialog", { name: "Add webhook" }).waitFor();
			await page.keyboard.type(`${receiver.url}/hook`);
			await page.keyboard.press("Enter");
			await page.getByText("Choose at least one event.").waitFor();
			await noAxeViolations(page);
			await tabAndPress(page, /^Accounts/);
			await tabAndPress(page, /^All of these/, "Space");
			await page.keyboard.press("Enter");
			const secretDialog = page.getByRole("dialog", { name: "Secret of the webhook" });
			const secret = await secretDialog.locator("code").textContent();
			assert.match(secret ?? "", /^whsec_/);
			await noAxeViolations(page);
			await page.getByRole("button", { name: "Done" }).click();
			await page.waitForURL(/\/console\/webhooks\/[0-9a-f-]{36}$/);
			await page.getByText("No deliveries yet").waitFor();

			await addPerson(service, "notified.of");
			const [first] = await receiver.atLeast(1);
			assert.ok(first);
			assert.equal(verified(first, secret ?? "").type, "user.created");
			await page.getByRole("button", { name: "Refresh" }).click();
			await page
				.getByRole("row", { name: /An account was created Delivered HTTP 204/ })
				.first()
				.waitFor();
			await page.getByRole("button", { name: "Actions for An account was created" }).first().click();
			await page.getByRole("menuitem", { name: "Show details" }).click();
			await page.getByRole("dialog").getByText('"type": "user.created"').waitFor();
			await noAxeViolations(page);
			await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

			const before = receiver.received.length;
			await page.getByRole("button", { name: "Actions for An account was created" }).first().click();
			await page.getByRole("menuitem", { name: "Send again" }).click();
			await page.getByText("Queued for redelivery").waitFor();
			await receiver.atLeast(before + 1);
			await assertAccessible(page);
			noTroubles();
		});

		test("lists failing webhooks first, and the share delivered above them", async () => {
			receiver.response(503);
			const { id } = await addWebhook(pages.service, {
				url: `${receiver.url}/failing`,
				event_types: ["access_request.submitted"],
			});
			await addWebhook(pages.service, { url: `${receiver.url}/newer` });
			const token = await pages.service.adminToken();
			await submit(pages.service);
			await eventually(
				() => getWebhook(pages.service, id),
				({ failing_since }) => failing_since !== null,
			);
			await eventually(
				async () => (await pages.service.asAdmin("GET", "/api/v1/stats")).steps,
				(steps) => steps.some(({ failed_webhook_attempts: failed }) => (failed["status.5xx"] ?? 0) > 0),
			);
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/webhooks");
			await page.getByRole("row").nth(1).getByText("/failing").waitFor();
			await page
				.getByRole("row")
				.nth(1)
				.getByText(/^Failing · \d/)
				.waitFor();
			await page.getByText(/^\d+(\.\d)?% delivered: \d+ of \d+ attempts$/).waitFor();
			assert.equal(await page.locator(".lk-badge--success").count(), 0);
			await page.getByRole("link", { name: /^Webhooks\s*1 failing$/ }).waitFor();
			await assertAccessible(page);
			await pages.service.call("DELETE", `/api/v1/webhooks/${id}`, { token });
			receiver.response(204);
			noTroubles();
		});

		test("shows why a delivery waits, and sends all failed deliveries again", async () => {
			receiver.response((response) => response.writeHead(500).end("database is locked <b>"));
			const { id } = await addWebhook(pages.service, {
				url: `${receiver.url}/locked`,
				event_types: ["user.created"],
			});
			for (const name of ["first.of.failed", "second.of.failed"]) await addPerson(pages.service, name);
			await eventually(
				() => deliveriesOf(pages.service, id),
				(all) => all.every(({ last_status_code }) => last_status_code === 500),
			);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/webhooks/${id}`);

			await page.getByText(/100% of the attempts in the last hour failed/).waitFor();
			const row = page.getByRole("row", { name: /An account was created Retrying HTTP 500 · next/ }).first();
			await row.waitFor();
			await page.getByRole("button", { name: "Actions for An account was created" }).first().click();
			await page.getByRole("menuitem", { name: "Show details" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByText("database is locked <b>").first().waitFor();
			await dialog.getByRole("combobox").selectOption("curl");
			await dialog.getByText(/curl 'https:.*\/locked'/).waitFor();
			await assertAccessible(page);
			await dialog.getByRole("button", { name: "Close" }).last().click();

			const setStatus = (status: "active" | "disabled") =>
				pages.service.asAdmin("PATCH", `/api/v1/webhooks/${id}`, { status });
			await setStatus("disabled");
			await setStatus("active");
			receiver.response(204);
			await eventually(
				async () => (await pages.service.asAdmin("GET", `/api/v1/webhooks/${id}/stats`)).steps,
				(steps) => steps.some(({ refused }) => (refused["status.5xx"] ?? 0) > 0),
			);
			await page.reload();
			await page.getByText("Failed, by cause:").waitFor();
			await page.getByRole("link", { name: "HTTP 5xx" }).click();
			await page.waitForURL(new RegExp(`/console/webhooks/${id}\\?status=failed&from=[^&]*&to=[^&]*$`));
			await page
				.getByRole("row", { name: /An account was created Failed HTTP 500/ })
				.first()
				.waitFor();
			assert.equal(await page.getByLabel("Result", { exact: true }).inputValue(), "failed");
			const stopped = Promise.withResolvers<void>();
			await page.route("**/deliveries/replay", async (route) => {
				const response = await route.fetch();
				await stopped.promise;
				await route.fulfill({ response });
			});
			await page.getByRole("button", { name: "Send all failed again (2)" }).click();
			await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
			await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
			await page.getByRole("dialog").waitFor({ state: "detached" });
			stopped.resolve();
			await page.getByText("2 deliveries are queued again").waitFor();
			await page.getByRole("button", { name: /^Send all failed again/ }).waitFor({ state: "detached" });
			await eventually(
				() => deliveriesOf(pages.service, id),
				(all) => all.every(({ status }) => status === "delivered"),
			);

			await page.getByRole("button", { name: "More tests" }).click();
			await page.getByRole("menuitem", { name: "Test with an event" }).click();
			await page.getByRole("dialog").getByRole("combobox").selectOption("grant.removed");
			await page.getByRole("dialog").getByRole("button", { name: "Send test" }).click();
			await page.getByText("The receiver accepted the test: HTTP 204").waitFor();
			assert.equal(JSON.parse(receiver.received.at(-1)?.body ?? "").type, "grant.removed");
			await assertAccessible(page);
			noTroubles();
		});

		test("lists the deliveries of a bar that is chosen by keyboard, with its time in the URL", async () => {
			receiver.response(204);
			const { id } = await addWebhook(pages.service, { url: `${receiver.url}/bars` });
			await pages.service.asAdmin("POST", `/api/v1/webhooks/${id}/test`);
			await eventually(
				async () => (await pages.service.asAdmin("GET", `/api/v1/webhooks/${id}/stats`)).steps,
				(steps) => steps.some(({ ok }) => ok > 0),
			);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/webhooks/${id}`);
			const row = page.getByRole("row", { name: /A test was sent/ });
			await row.waitFor();
			const chart = page.getByRole("group", { name: /^Delivery attempts/ });
			await chart.focus();
			await page.keyboard.press("Tab");
			await page.locator("summary:focus").waitFor();
			await chart.focus();
			await page.keyboard.press("Home");
			await page.keyboard.press("Enter");
			await page.getByText("No deliveries match").waitFor();
			await page.keyboard.press("End");
			await page.keyboard.press("Enter");
			await row.waitFor();
			await page.getByText(/^Only deliveries of events from .* to .*\.$/).waitFor();
			const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
			assert.ok(Date.parse(String(to)) - Date.parse(String(from)) < 26 * 3_600_000);
			await assertAccessible(page);
			await page.reload();
			await row.waitFor();
			await page.getByRole("button", { name: "Reset filters" }).click();
			await page.waitForURL(`${PAGES_URL}/console/webhooks/${id}`);
			noTroubles();
		});

		test("sends a test, and shows the response of the receiver", async () => {
			const webhook = await addWebhook(pages.service, { url: `${receiver.url}/tried` });
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/webhooks/${webhook.id}`);
			await page.getByRole("button", { name: "Send test" }).waitFor();
			await tabAndPress(page, "Send test");
			await page.getByText("The receiver accepted the test: HTTP 204").waitFor();
			await page.getByRole("row", { name: /A test was sent Delivered HTTP 204/ }).waitFor();
			const tried = receiver.received.filter(({ path }) => path === "/tried");
			assert.deepEqual(
				tried.map((one) => verified(one, webhook.secret).type),
				["webhook.test"],
			);
			receiver.response(503);
			await page.getByRole("button", { name: "Send test" }).click();
			await page.getByText(/The test failed: HTTP 503/).waitFor();
			await page.getByRole("row", { name: /A test was sent Failed HTTP 503/ }).waitFor();
			await assertAccessible(page);
			receiver.response(410);
			await page.getByRole("button", { name: "Send test" }).click();
			await page.getByText("Disabled because the receiver returned 410 Gone").waitFor();
			assert.equal(await page.getByRole("button", { name: "Send test" }).count(), 0);
			receiver.response(204);
			noTroubles();
		});

		test("changes, disables, enables, and deletes a webhook by name, and shows hostile text as text", async () => {
			const webhook = await addWebhook(pages.service, {
				description: HOSTILE,
				event_types: ["user.*", "grant.*", "session.*"],
			});
			const { page, troubles, noTroubles } = await pages.openAs(ADMIN, `/console/webhooks/${webhook.id}`);
			await page.getByText(HOSTILE).waitFor();
			const choose = async (name: string) => {
				await page.getByRole("button", { name: "More actions" }).click();
				await page.getByRole("menuitem", { name }).click();
			};
			await page.getByRole("button", { name: "Change" }).click();
			const url = page.getByRole("dialog").getByRole("textbox", { name: "Address" });
			await url.fill("http://not-encrypted.example");
			await page.getByRole("button", { name: "Save" }).click();
			await page.locator(".lk-field__error").getByText("https").waitFor();
			await url.fill("https://other.partner.example/hook");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByRole("heading", { level: 1, name: "other.partner.example/hook" }).waitFor();

			await choose("Rotate secret");
			await page.getByRole("radio", { name: "in 1 hour" }).check();
			await page.getByRole("button", { name: "Rotate secret" }).click();
			assert.match((await page.getByRole("dialog").locator("code").textContent()) ?? "", /^whsec_/);
			await page.getByRole("button", { name: "Done" }).click();
			await page.getByText("also signs until").waitFor();

			await choose("Disable");
			await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
			await page.getByText("An administrator disabled this webhook").waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: "Enable" }).click();
			await page.getByText("Active", { exact: true }).waitFor();

			await page.goto(`${PAGES_URL}/console/webhooks`);
			await page.getByText(HOSTILE).waitFor();
			await assertAccessible(page);
			await page.getByRole("link", { name: /^other\.partner\.example/ }).click();
			await choose("Delete");
			await page.getByLabel(/^Type “/).fill("other.partner.example/hook");
			await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
			await page.waitForURL(`${PAGES_URL}/console/webhooks`);
			await page.getByText("The webhook was deleted").waitFor();
			assert.equal(await page.getByText(HOSTILE).count(), 0);
			// The 400 for the refused URL.
			assert.equal(troubles.length, 1);
			noTroubles(/status of 400/);
		});

		test("offers an auditor no changes, in Chinese", async () => {
			const webhook = await addWebhook(pages.service);
			const auditor = await addPerson(pages.service, "reads.only", { roles: ["auditor"], locale: "zh-CN" });
			const { page, noTroubles } = await pages.openAs(auditor, "/console/webhooks");
			await page.getByRole("link", { name: "hooks.partner.example/latchkey", exact: true }).waitFor();
			assert.equal(await page.getByRole("button", { name: "添加 Webhook" }).count(), 0);
			await page.goto(`${PAGES_URL}/console/webhooks/${webhook.id}`);
			await page.getByText("尚未发送任何内容").waitFor();
			assert.equal(await page.getByRole("button", { name: "更多操作" }).count(), 0);
			noTroubles();
		});
	},
	() => ({ LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK }),
);
