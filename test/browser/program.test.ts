// `/program`: people request a program that names itself by a URL, wait for the decision, and continue.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	enterPassword,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
} from "../harness/browser/pages.ts";
import { connect, exchange } from "../harness/openid/openid.ts";
import {
	BACK,
	documentUrl,
	type StartedProgram,
	startProgram,
	TASKS,
	takeProgramRequests,
} from "../harness/openid/program-sign-in.ts";
import { publishPrograms } from "../harness/openid/programs.ts";
import { addPerson, type Person } from "../harness/people/people.ts";

const REASON = "To list my tasks in the editor.";
const NOTE = "Nobody knows this program.";
const TEN_MINUTES_MS = 600_000;

const web = publishPrograms();

describePages(
	"/program",
	(pages) => {
		let ada: Person;
		let count = 0;
		before(async () => {
			const { service } = pages;
			await takeProgramRequests(service, true);
			await connect(service, { type: "service", resource: TASKS }, { name: "Tasks" });
		});

		/** Publishes a new program, and starts its sign-in for another person. */
		async function start(redirectUri = BACK, changes: object = {}): Promise<StartedProgram> {
			ada = await addPerson(pages.service, `ada-${++count}`);
			return startProgram(pages.service, web, { redirectUri, changes });
		}
		const ask = async (page: Page) => {
			await page.getByLabel("Why do you need it?").fill(REASON);
			await page.getByRole("button", { name: "Request access" }).click();
			await page.getByRole("heading", { name: "Waiting for a reviewer" }).waitFor();
		};
		const decide = async (host: string, action: "approve" | "reject", body: object) => {
			const token = await pages.service.adminToken();
			const path = `/api/v1/requests?kind=program&status=pending&q=${host}` as "/api/v1/requests";
			const [request] = (await pages.service.call("GET", path, { token })).body.data;
			await pages.service.asAdmin("POST", `/api/v1/requests/${request?.id ?? ""}/${action}`, body);
		};

		test("names the hosts and APIs, reads nothing before the click, waits, and continues after the approval", async () => {
			const { url, party, host, ...asked } = await start();
			web.read.length = 0;
			const { page, noTroubles } = await pages.open();
			await page.goto(url.href);
			await enterPassword(page, ada);
			await page.getByText("Latchkey has not read this program").waitFor();
			await page.getByText(host, { exact: true }).waitFor();
			await page.getByText("id.example.com", { exact: true }).waitFor();
			await page.getByText("The sign-in goes to another host than the program's: id.example.com.").waitFor();
			await page.getByRole("list", { name: "It requests access to" }).getByText("Tasks").waitFor();
			await assertAccessible(page);
			await page.getByLabel("Why do you need it?").fill("Because.");
			await page.keyboard.press("Tab");
			await tabAndPress(page, "Request access");
			await page.getByText("Write at least 10 characters.").first().waitFor();
			assert.deepEqual(web.read, []);
			await ask(page);
			assert.deepEqual(web.read, [documentUrl(host)]);
			await page.getByText(`It calls itself Example Agent. Only the host ${host} is verified.`).waitFor();
			assert.equal(await page.getByText("has not read this program").count(), 0);
			await assertAccessible(page);
			await page.reload();
			await page.getByRole("heading", { name: "Waiting for a reviewer" }).waitFor();
			await decide(host, "approve", { allowed_resources: [TASKS] });
			await page.getByRole("button", { name: "Allow", exact: true }).click();
			await page.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
			const tokens = await exchange(party, new URL(page.url()), { ...asked, url }, { resource: TASKS });
			assert.equal(tokens.claims()?.sub, ada.id);
			noTroubles();
		});

		test("shows the hosts of a reviewed program on the consent page, and continues at once", async () => {
			const { url, host } = await start("http://127.0.0.1:43210/callback");
			const first = await pages.openAs(ada);
			await first.page.goto(url.href);
			await first.page.getByText("A program on this computer. Latchkey cannot verify which one.").waitFor();
			await ask(first.page);
			await decide(host, "approve", { allowed_resources: [TASKS] });
			const { page } = await pages.open();
			await page.goto(url.href);
			await enterPassword(page, ada);
			await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
			await page.getByText(host, { exact: true }).waitFor();
			await page.getByText("127.0.0.1:43210", { exact: true }).waitFor();
			await page.getByText("A program on this computer. Latchkey cannot verify which one.").waitFor();
			await assertAccessible(page);
		});

		test("does not redirect by itself after a rejection; the button returns access_denied", async () => {
			const { url, host, state } = await start();
			const { page } = await pages.openAs(ada);
			await page.goto(url.href);
			await ask(page);
			await decide(host, "reject", { review_note: NOTE });
			await page.getByRole("heading", { name: "This program was rejected" }).waitFor();
			await page.getByText(NOTE).waitFor();
			await page.goto(url.href);
			await page.getByRole("heading", { name: "This program was rejected" }).waitFor();
			await assertAccessible(page);
			assert.equal(new URL(page.url()).pathname, "/program");
			await page.getByRole("link", { name: "Cancel and return to id.example.com" }).click();
			await page.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
			const { searchParams } = new URL(page.url());
			assert.deepEqual([searchParams.get("error"), searchParams.get("state")], ["access_denied", state]);
		});

		test("offers no way back to a redirect URI that the document does not list", async () => {
			const { url, host } = await start(`${PAGES_URL}/portal`);
			const { page } = await pages.openAs(ada);
			await page.goto(url.href);
			await ask(page);
			await decide(host, "reject", { review_note: NOTE });
			await page.getByRole("heading", { name: "This program was rejected" }).waitFor();
			assert.equal(await page.getByRole("link", { name: /^Cancel and return/ }).count(), 0);
			await page.getByRole("button", { name: "Request access again" }).waitFor();
		});

		test("names the member of a bad document, and keeps the reason", async () => {
			const { url } = await start(BACK, { client_secret: "x" });
			const { page } = await pages.openAs(ada);
			await page.goto(url.href);
			await page.getByLabel("Why do you need it?").fill(REASON);
			await page.getByRole("button", { name: "Request access" }).click();
			await page.getByRole("alert").getByText("client_secret").first().waitFor();
			assert.equal(await page.getByLabel("Why do you need it?").inputValue(), REASON);
			await noAxeViolations(page);
		});

		test("stops asking after ten minutes, and checks again on request", async () => {
			const { url, host } = await start();
			const { page } = await pages.openAs(ada);
			await page.clock.install();
			await page.goto(url.href);
			await ask(page);
			await page.clock.fastForward(TEN_MINUTES_MS);
			await page.getByText(/^No decision yet/).waitFor();
			await noAxeViolations(page);
			await decide(host, "approve", { allowed_resources: [TASKS] });
			await page.getByRole("button", { name: "Check again" }).click();
			await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
		});

		test("reports in Chinese that the tenant accepts no requests, or that the page has expired", async () => {
			const { url } = await start();
			const { page } = await pages.openAs(ada, undefined, { locale: "zh-CN" });
			await page.goto(url.href);
			await page.getByText("Latchkey 尚未读取该程序").waitFor();
			await assertAccessible(page);
			await takeProgramRequests(pages.service, false);
			await page.reload();
			await page.getByText("您的组织不接受程序申请").waitFor();
			await takeProgramRequests(pages.service, true);
			await page.goto(`${PAGES_URL}/program?request=${"a".repeat(43)}`);
			await page.getByText("此页面已过期").waitFor();
		});
	},
	undefined,
	{ programDocuments: web.documents },
);
