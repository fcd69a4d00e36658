// `/console/requests` and `/console/programs`: reviewers decide on programs, administrators manage them.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { connect, exchange } from "../harness/openid/openid.ts";
import {
	BACK,
	documentUrl,
	type StartedProgram,
	startProgram,
	TASKS,
	takeProgramRequests,
} from "../harness/openid/program-sign-in.ts";
import { publishPrograms, runCheck } from "../harness/openid/programs.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const REASON = "To list my tasks in the editor.";
const web = publishPrograms();

describePages(
	"the programs in the console",
	(pages) => {
		let reviewer: Person;
		let ada: Person;
		before(async () => {
			const { service } = pages;
			await takeProgramRequests(service, true);
			await connect(service, { type: "service", resource: TASKS }, { name: "Tasks" });
			reviewer = await addPerson(service, "rita", { roles: ["reviewer"] });
		});

		let people = 0;
		/** A new person requests a program on its page, which then waits. */
		async function ask(program: StartedProgram): Promise<Page> {
			ada = await addPerson(pages.service, `ada-${++people}`);
			const { page } = await pages.openAs(ada);
			await page.goto(program.url.href);
			await page.getByLabel("Why do you need it?").fill(REASON);
			await page.getByRole("button", { name: "Request access" }).click();
			await page.getByRole("heading", { name: "Waiting for a reviewer" }).waitFor();
			return page;
		}
		const queueOf = ({ host }: StartedProgram) => `/console/requests?q=${host}`;
		const title = (page: Page, name: string) =>
			page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
		/** Has a program approved. @returns the id of its application */
		async function approved(program: StartedProgram): Promise<string> {
			await ask(program);
			const path = `/api/v1/requests?kind=program&q=${program.host}` as "/api/v1/requests";
			const token = await pages.service.adminToken();
			const [request] = (await pages.service.call("GET", path, { token })).body.data;
			const { application_id } = await pages.service.asAdmin(
				"POST",
				`/api/v1/requests/${request?.id ?? ""}/approve`,
				{ allowed_resources: [TASKS] },
			);
			return application_id ?? assert.fail("no application");
		}
		async function check(application: string) {
			await pages.service.asAdmin("POST", `/api/v1/programs/${application}/read-again`);
			await runCheck(pages.service, web);
		}

		test("approve a request with two keys in the queue; the waiting page continues to a token", async () => {
			const program = await startProgram(pages.service, web, { changes: { client_name: "Task Agent" } });
			const waiting = await ask(program);
			const { page, noTroubles } = await pages.openAs(reviewer, "/console/requests", {
				viewport: { width: 1280, height: 800 },
			});
			await page.getByLabel("Kind").selectOption("program");
			await title(page, "Task Agent");
			const marked = page.getByRole("navigation", { name: "Navigation" }).locator("[aria-current]");
			assert.match((await marked.textContent()) ?? "", /^Requests/);
			const detail = page.locator(".lk-request__read");
			for (const text of [program.host, documentUrl(program.host), REASON, TASKS, BACK])
				await detail.getByText(text, { exact: true }).first().waitFor();
			await detail.getByText("Another host: id.example.com").waitFor();
			await detail.getByText("Runs on the user's device").waitFor();
			await detail.getByText('"client_name": "Task Agent"').waitFor();
			await assertAccessible(page);
			await page.keyboard.press("a");
			await page.locator("[type=submit]:focus").waitFor();
			await assertAccessible(page);
			await page.keyboard.press("Control+Enter");
			await page.getByText("Task Agent was approved.").waitFor();
			await page.getByText("No request is waiting").waitFor();
			await waiting.getByRole("button", { name: "Allow", exact: true }).click();
			await waiting.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
			const tokens = await exchange(program.party, new URL(waiting.url()), program, { resource: TASKS });
			assert.equal(tokens.claims()?.aud, documentUrl(program.host));
			noTroubles();
		});

		test("reject a request with a reason; nothing redirects by itself", async () => {
			const program = await startProgram(pages.service, web);
			const waiting = await ask(program);
			const { page } = await pages.openAs(reviewer, queueOf(program));
			await title(page, "Example Agent");
			await page.keyboard.press("r");
			await page.keyboard.type("Nobody knows this program.");
			await page.keyboard.press("Control+Enter");
			await page.getByText("Example Agent was rejected.").waitFor();
			await waiting.getByText("Nobody knows this program.").waitFor();
			assert.equal(new URL(waiting.url()).pathname, "/program");
			await waiting.getByRole("link", { name: "Cancel and return to id.example.com" }).click();
			await waiting.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
			assert.equal(new URL(waiting.url()).searchParams.get("error"), "access_denied");
		});

		test("show who decided first", async () => {
			const program = await startProgram(pages.service, web);
			await ask(program);
			const { page } = await pages.openAs(reviewer, queueOf(program));
			await title(page, "Example Agent");
			await page.keyboard.press("r");
			await page.keyboard.type("No.");
			const path = `/api/v1/requests?kind=program&status=pending&q=${program.host}` as "/api/v1/requests";
			const token = await pages.service.adminToken();
			const [request] = (await pages.service.call("GET", path, { token })).body.data;
			await pages.service.asAdmin("POST", `/api/v1/requests/${request?.id ?? ""}/approve`, {
				allowed_resources: [],
			});
			await page.keyboard.press("Control+Enter");
			await page.getByText("This request has already been decided").waitFor();
			await page.getByText("Approved by admin.").waitFor();
		});

		test("show the differences of a changed document, and pin it", async () => {
			const program = await startProgram(pages.service, web);
			const id = await approved(program);
			const other = `${PAGES_URL}/portal`;
			web.publish(documentUrl(program.host), { redirect_uris: [other] });
			await check(id);
			const { page } = await pages.openAs(ADMIN, `/console/programs/${id}`);
			await page.getByText("The published document changed").waitFor();
			const row = page.getByRole("row", { name: /Redirect URIs/ });
			await row.getByText(BACK).waitFor();
			await row.getByText(other).waitFor();
			await assertAccessible(page);
			await page.getByRole("link", { name: "Open the request" }).click();
			await title(page, "Example Agent");
			await page.getByText("Document changed").first().waitFor();
			await page.keyboard.press("a");
			assert.equal(await page.getByLabel(`May get tokens for ${TASKS}`).isChecked(), true);
			await page.keyboard.press("Control+Enter");
			await page.getByText("Example Agent was approved.").waitFor();
			const { document, allowed_resources } = await pages.service.asAdmin("GET", `/api/v1/programs/${id}`);
			assert.deepEqual([document.redirect_uris.map(({ uri }) => uri), allowed_resources], [[other], [TASKS]]);
		});

		test("decide on the document that the reviewer read, not on a later one", async () => {
			const program = await startProgram(pages.service, web);
			const id = await approved(program);
			const publish = async (path: string) => {
				web.publish(documentUrl(program.host), { redirect_uris: [`${PAGES_URL}/${path}`] });
				await check(id);
			};
			await publish("portal");
			const { change_request_id } = await pages.service.asAdmin("GET", `/api/v1/programs/${id}`);
			const { page } = await pages.openAs(reviewer, `/console/requests/${change_request_id}`);
			await title(page, "Example Agent");
			// The list must not be renewed before the decision is sent.
			await page.route(/\/requests\?/, () => undefined);
			await publish("elsewhere");
			await page.keyboard.press("a");
			await page.keyboard.press("Control+Enter");
			await page.getByText("The document changed", { exact: true }).waitFor();
			await page.getByText(`${PAGES_URL}/elsewhere`, { exact: true }).first().waitFor();
			await assertAccessible(page);
			await page.keyboard.press("a");
			await page.keyboard.press("Control+Enter");
			await page.getByText("Example Agent was approved.").waitFor();
		});

		test("close the approval form when the list returns another document", async () => {
			const program = await startProgram(pages.service, web);
			const id = await approved(program);
			const publish = async (path: string) => {
				web.publish(documentUrl(program.host), { redirect_uris: [`${PAGES_URL}/${path}`] });
				await check(id);
			};
			await publish("portal");
			const { change_request_id } = await pages.service.asAdmin("GET", `/api/v1/programs/${id}`);
			const { page } = await pages.openAs(reviewer);
			await page.clock.install();
			await page.goto(`${PAGES_URL}/console/requests/${change_request_id}`);
			await title(page, "Example Agent");
			await page.keyboard.press("a");
			await page.locator("[type=submit]:focus").waitFor();
			await publish("elsewhere");
			await page.clock.fastForward("00:31");
			await page.getByText("The document changed", { exact: true }).waitFor();
			await page.getByText(`${PAGES_URL}/elsewhere`, { exact: true }).first().waitFor();
			assert.equal(await page.locator("[type=submit]").count(), 0);
			await page.keyboard.press("a");
			await page.getByLabel("Note").fill("Read it.");
			await publish("third");
			await page.clock.fastForward("00:31");
			await page.getByText(`${PAGES_URL}/third`, { exact: true }).first().waitFor();
			const answer = page.waitForResponse((response) => response.url().endsWith("/approve"));
			await page.keyboard.press("Control+Enter");
			assert.equal((await answer).status(), 409);
			await page.locator("[type=submit]").waitFor({ state: "detached" });
		});

		test("suspend, resume, limit, and remove a program", async () => {
			const program = await startProgram(pages.service, web, { changes: { client_name: "Managed" } });
			const id = await approved(program);
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/programs");
			await page.getByRole("link", { name: "Managed" }).click();
			await page.getByRole("heading", { level: 1, name: "Managed" }).waitFor();
			await noAxeViolations(page);
			const now = () => pages.service.asAdmin("GET", `/api/v1/programs/${id}`);
			await page.getByRole("button", { name: "Suspend" }).click();
			await page.getByText("The program gets no codes and no tokens.").waitFor();
			await page.getByText("An administrator. Only an administrator can resume it.").waitFor();
			assert.equal((await now()).status, "suspended");
			await page.getByRole("button", { name: "Resume" }).click();
			await page.getByText("The program gets tokens again.").waitFor();
			await page.getByLabel("APIs").fill("https://unknown.example");
			await page.getByRole("button", { name: "Save" }).click();
			await page.locator("[name='allowed_resources.0'][aria-invalid=true]").waitFor();
			await page.getByLabel("APIs").fill("");
			await page.getByLabel("Everyone in the tenant may use it").uncheck();
			await page.getByLabel("Expires").selectOption("30");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("Saved", { exact: true }).waitFor();
			const { allowed_resources, access_policy, expires_at } = await now();
			assert.deepEqual([allowed_resources, access_policy], [[], "assigned"]);
			assert.ok(Date.parse(expires_at ?? "") > Date.now());
			await page.getByRole("button", { name: /^More|^Actions/ }).click();
			await page.getByRole("menuitem", { name: "Remove" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByRole("textbox").fill("Managed");
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Remove" }).click();
			await page.getByText("The program was removed").waitFor();
			noTroubles(/status of 400/);
		});

		test("are read-only for auditors, and switched on for a tenant in Chinese", async () => {
			const program = await startProgram(pages.service, web);
			const id = await approved(program);
			const asked = await startProgram(pages.service, web);
			await ask(asked);
			const auditor = await addPerson(pages.service, "audrey", { roles: ["auditor"] });
			const { page } = await pages.openAs(auditor, `/console/programs/${id}`);
			await page.getByRole("heading", { level: 1, name: "Example Agent" }).waitFor();
			assert.equal(await page.getByRole("button", { name: /Suspend|Save/ }).count(), 0);
			await page.goto(`${PAGES_URL}${queueOf(asked)}`);
			await title(page, "Example Agent");
			assert.equal(await page.getByRole("button", { name: /^(Approve|Reject)/ }).count(), 0);
			const phone = { viewport: { width: 390, height: 844 }, locale: "zh-CN" };
			const chinese = (await pages.openAs(ADMIN, queueOf(asked), phone)).page;
			await chinese.getByRole("link", { name: /Example Agent/ }).click();
			await chinese.getByText("读取到的文档").waitFor();
			await assertAccessible(chinese);
			await chinese.goto(`${PAGES_URL}/console/tenants`);
			await chinese
				.getByRole("button", { name: /Default|默认|default/ })
				.first()
				.click();
			await chinese.getByRole("menuitem").first().click();
			const box = chinese.getByLabel("允许申请程序");
			assert.equal(await box.isChecked(), true);
			await noAxeViolations(chinese);
		});
	},
	undefined,
	{ programDocuments: web.documents },
);
