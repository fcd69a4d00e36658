// `/console`: pending work, warnings, and recent activity.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { decide, mailedToken, REQUESTS, submit } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, withSecret } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	fitsEveryWidth,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
} from "../harness/browser/pages.ts";
import { until } from "../harness/databases/ledger.ts";
import { addPerson, lockPassword, type Person, withDatabase } from "../harness/people/people.ts";
import { enrollTotp } from "../harness/people/second-factors.ts";
import { ADMIN } from "../harness/service/service.ts";
import { addWebhook } from "../harness/webhooks/webhooks.ts";

const WHOAMI = "/api/v1/external/whoami";
const NAME = `ليلى <img src=x onerror="document.title='run'">`;

describePages("/console as an overview", (pages) => {
	let requestId: string;
	let reviewer: Person;
	before(async () => {
		const { service } = pages;
		const request = { applicant_name: NAME, company: NAME, project_name: NAME };
		requestId = (await submit(service, request)).id;
		reviewer = await addPerson(service, "rita", { display_name: NAME, roles: ["reviewer"] });
		await lockPassword(service, await addPerson(service, "leo"));
		const expires_at = new Date(service.clock.now() + 5 * 86_400_000).toISOString();
		const client = await addApiClient(service, { name: NAME, expires_at });
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
		const wrong = { ...client, secret: `${client.secret}x` };
		assert.equal((await service.signed(wrong, "GET", WHOAMI)).status, 401);
		await counted();
	});
	/** Waits for the counts, which lag by a few seconds. */
	const counted = async (): Promise<void> => {
		const token = await pages.service.adminToken();
		await until("the calls are counted", async () => {
			const { body } = await pages.service.call("GET", "/api/v1/stats", { token });
			// The hour may turn between the calls and this one.
			return body.data.steps.some(({ refused_calls }) => Object.keys(refused_calls).length > 0);
		});
	};

	test("shows four numbers and what there is to do, and links to each filtered list", async () => {
		const { page, requests, noTroubles } = await pages.openAs(ADMIN, "/console");
		const forYou = page.getByRole("region", { name: "For you" });
		await forYou.getByText("1 request is waiting · oldest").first().waitFor();
		await page.getByRole("link", { name: "Pending requests: 1" }).waitFor();
		await page.getByText("50%", { exact: true }).waitFor();
		await forYou.getByText("1 API client expires within 30 days").first().waitFor();
		await page
			.getByRole("button", { name: "Show as table" })
			.or(page.getByText("Show as table"))
			.first()
			.waitFor();
		await assertAccessible(page);
		const calls = requests.filter((request) => request.includes("/api/v1/"));
		// Two more than later: a new tab asks for its tenant, and a browser for the branding. Refused calls need another, and
		// the checks of the installation come later.
		assert.ok(calls.length <= 8, calls.join("\n"));
		const clients = await page.getByRole("link", { name: /API client expires/ }).getAttribute("href");
		assert.match(
			clients ?? "",
			/^\/console\/clients\?status=active&mode=live&expires_after=.*&expires_before=/,
		);
		await tabAndPress(page, /^Review \d/);
		await page.waitForURL(`${PAGES_URL}/console/requests/${requestId}`);
		await page.goBack();
		await page.getByRole("link", { name: "1 person is locked out" }).click();
		await page.waitForURL(`${PAGES_URL}/console/people?locked=true`);
		await page.getByRole("rowheader", { name: "leo" }).waitFor();
		noTroubles();
	});

	test("counts sign-ins and signed calls over the chosen period, as a table too", async () => {
		// Days are those of the browser, and no day turns meanwhile: its time is about noon, and not that of UTC.
		const hour = new Date().getUTCHours();
		const offset = (hour < 12 ? 13 : 11) - hour;
		const { page, requests, noTroubles } = await pages.openAs(ADMIN, "/console", {
			timezoneId: `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`,
		});
		const calls = page.getByRole("figure").filter({ hasText: "Signed calls from partners" });
		await calls.getByRole("group", { name: /^Signed calls from partners/ }).focus();
		await page.keyboard.press("End");
		await calls.getByRole("status").getByText("Accepted 1 · Refused 1").waitFor();
		await calls.getByText("Show as table").click();
		const today = calls.getByRole("row").last().getByRole("cell");
		await today.first().waitFor();
		assert.deepEqual(await today.allTextContents(), ["1", "1"]);
		const reason = page.getByRole("link", { name: "signature.invalid" });
		assert.match(
			(await reason.getAttribute("href")) ?? "",
			/^\/console\/refusals\?subject=api_client&code=signature\.invalid&from=.*&to=/,
		);
		const midnight = `\\S+T${String((24 - offset) % 24).padStart(2, "0")}%3A00%3A00\\.000Z`;
		const local = new RegExp(`/stats\\?from=${midnight}&to=${midnight}&step=hour$`);
		assert.ok(
			requests.some((request) => local.test(request)),
			requests.join("\n"),
		);
		await page.getByLabel("Period").selectOption({ label: "Last 24 hours" });
		await page.waitForURL(/range=24h/);
		await calls.getByText("Hour", { exact: true }).waitFor();
		await page.getByLabel("Period").selectOption({ label: "Custom range" });
		const fillRange = async (from: string, to: string) => {
			await page.getByLabel("From", { exact: true }).fill(from);
			await page.getByLabel("To", { exact: true }).fill(to);
		};
		await fillRange("2026-01-01", "2026-01-10");
		await page.waitForURL(/to=2026-01-10/);
		await calls.getByText("Nothing in this period.").waitFor();
		assert.equal(await calls.getByRole("row").count(), 0);
		const days = await page.evaluate<readonly [string, string]>(
			`[9, 0].map((ago) => {
				const day = new Date(Date.now() - ago * 86_400_000);
				return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
			})`,
		);
		await fillRange(...days);
		await page.waitForURL(new RegExp(`to=${days[1]}`));
		await calls.getByText("Show as table").click();
		await calls.getByRole("row").nth(10).waitFor();
		assert.equal(await calls.getByRole("row").count(), 11);
		await page.reload();
		await calls.getByText("Show as table").click();
		assert.equal(await page.getByLabel("From", { exact: true }).inputValue(), days[0]);
		noTroubles();
	});

	test("shows a reviewer only the requests, in Chinese", async () => {
		const { page, requests, noTroubles } = await pages.openAs(reviewer, "/console", { locale: "zh-CN" });
		const forYou = page.getByRole("region", { name: "待办事项" });
		await forYou.getByRole("link", { name: /^审核 1 个申请待处理/ }).waitFor();
		assert.equal(await forYou.getByRole("listitem").count(), 1);
		assert.equal(await page.locator(".lk-stat").count(), 0);
		assert.equal(await page.getByRole("link", { name: "人员" }).count(), 0);
		assert.deepEqual(
			requests.filter((request) => /stats|users|webhooks|mails|api-clients/.test(request)),
			[],
		);
		await page.goto(`${PAGES_URL}/console/people`);
		await page.getByRole("heading", { name: "人员" }).or(page.getByText("页面不存在")).waitFor();
		assert.equal(await page.getByRole("searchbox").count(), 0);
		noTroubles();
	});
});

describePages("the tasks on the overview", (pages) => {
	test("name the failing webhook and who is refused most, with what explains it", async () => {
		const { service } = pages;
		const webhook = await addWebhook(service, { url: "https://hooks.example.com/in" });
		await withDatabase(service, ({ queries }) =>
			queries.run("UPDATE webhooks SET failing_since = $1 WHERE id = $2", Date.now(), webhook.id),
		);
		const client = await addApiClient(service, { name: NAME });
		const wrong = { ...client, secret: `${client.secret}x` };
		for (let call = 0; call < 6; call++)
			assert.equal((await service.signed(wrong, "GET", WHOAMI)).status, 401);
		await until(
			"the refusals are recorded",
			async () =>
				(await service.call("GET", "/api/v1/refusals", { token: await service.adminToken() })).body.total ===
				6,
		);
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		const why = page.getByRole("region", { name: "For you" }).getByRole("link", { name: /^See why/ });
		await why.filter({ hasText: "6 calls refused in 24 hours, mostly signature.invalid" }).waitFor();
		await assertAccessible(page);
		await page.setViewportSize({ width: 320, height: 640 });
		await noAxeViolations(page);
		await why.filter({ hasText: "The webhook hooks.example.com fails · since" }).click();
		await page.waitForURL(`${PAGES_URL}/console/webhooks/${webhook.id}`);
		await page.goBack();
		await why.filter({ hasText: "calls refused" }).click();
		await page.waitForURL(`${PAGES_URL}/console/refusals?subject=api_client&api_client_id=${client.id}`);
		await page.getByText("What to do").waitFor();
		noTroubles();
	});
});

describePages("the numbers of the overview", (pages) => {
	let kiosk: string;
	let healthy: string;
	before(async () => {
		const { service } = pages;
		const request = await submit(service, { company: "Kiosk Ltd", project_name: "Kiosk" });
		kiosk = String((await decide(service, request.id, "approve")).api_client_id);
		const body = { token: await mailedToken(service, request.email, "claim") };
		const claimed = withSecret((await service.call("POST", `${REQUESTS}/claim`, { body })).body.data);
		await service.asAdmin("PATCH", `/api/v1/api-clients/${kiosk}`, { ip_allowlist: ["203.0.113.7"] });
		const other = await addApiClient(service, { name: "Healthy" });
		healthy = other.id;
		for (const client of [claimed, claimed, other, other, other]) await service.signed(client, "GET", WHOAMI);
		const wrong = { ...other, secret: `${other.secret}x` };
		await service.signed(wrong, "GET", WHOAMI);
		await until("the calls are counted", async () => {
			const { body } = await service.call("GET", "/api/v1/api-clients", {
				token: await service.adminToken(),
			});
			return body.data.reduce((sum, { calls_24h }) => sum + calls_24h, 0) === 6;
		});
	});

	test("lead to the partner that fails, and why, in two clicks", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		let clicks = 0;
		const click = async (place: Locator) => {
			clicks += 1;
			await place.click();
		};
		await click(page.getByRole("link", { name: /^Refused calls:/ }));
		await page.waitForURL(/\/console\/refusals\?subject=api_client&from=[^&]*&to=[^&]*$/);
		await click(page.locator("summary", { hasText: "The IP address is not allowed" }));
		await page.getByRole("link", { name: "Kiosk" }).first().waitFor();
		await page.getByText("If the address belongs to the partner").waitFor();
		await page.getByText(/^Only calls from .* to .*\.$/).waitFor();
		assert.ok(clicks <= 3);
		await page.goBack();
		await click(page.getByRole("link", { name: /^Signed calls:/ }));
		await page.waitForURL(`${PAGES_URL}/console/clients?sort=calls_24h`);
		noTroubles();
	});

	test("have a bar for each day, chosen by keyboard in one stop, and reasons that link to their calls", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		const chart = page.getByRole("group", { name: /^Signed calls from partners/ });
		await chart.focus();
		await page.keyboard.press("Tab");
		await page.locator("summary:focus").waitFor();
		await chart.focus();
		await page.keyboard.press("End");
		await page.keyboard.press("Enter");
		await page.waitForURL(/\/console\/refusals\?subject=api_client&from=[^&]*&to=[^&]*$/);
		await page.locator("summary", { hasText: "The signature does not match" }).waitFor();
		const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
		assert.ok(Date.parse(String(to)) - Date.parse(String(from)) < 26 * 3_600_000);
		await page.goBack();
		const signIns = page.getByRole("group", { name: /^Sign-ins/ });
		await signIns.focus();
		await page.keyboard.press("End");
		await page.keyboard.press("Enter");
		await page.waitForURL(/\/console\/audit\?action=user.signed_in%2Cuser.sign_in_failed&from=/);
		await page.goto(`${PAGES_URL}/console/clients/${kiosk}`);
		await page.getByRole("link", { name: "ip.not_allowed" }).click();
		await page.waitForURL(
			new RegExp(`/console/refusals\\?subject=api_client&api_client_id=${kiosk}&code=ip.not_allowed&from=`),
		);
		await page.getByRole("link", { name: "Kiosk" }).first().waitFor();
		noTroubles();
	});

	test("are in the list of API clients, whose refused calls lead to their reasons", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/clients", {
			viewport: { width: 1280, height: 800 },
		});
		const cells = (row: number) => page.getByRole("row").nth(row).getByRole("cell").allInnerTexts();
		const headers = () => page.getByRole("columnheader").allInnerTexts();
		await page.getByRole("rowheader", { name: "Kiosk" }).waitFor();
		const shown = (await headers()).filter((text) => text !== "");
		assert.deepEqual(shown, ["Name", "Application", "Partner", "Calls 24 h", "Refused 24 h", "Last used"]);
		assert.deepEqual((await cells(1)).slice(2, 3), ["Kiosk Ltd"]);
		await assertAccessible(page);
		await fitsEveryWidth(page);
		await page.getByRole("button", { name: "Calls 24 h" }).click();
		await page.waitForURL(/\?sort=calls_24h$/);
		await page.locator(`tbody > tr:first-child a[href$="${healthy}"]`).waitFor();
		assert.equal(
			await page.getByRole("columnheader", { name: "Calls 24 h" }).getAttribute("aria-sort"),
			"descending",
		);
		await page.getByRole("button", { name: "Refused 24 h" }).click();
		await page.waitForURL(`${PAGES_URL}/console/clients`);
		await page.locator(`tbody > tr:first-child a[href$="${kiosk}"]`).waitFor();
		await page.getByRole("row").nth(1).getByRole("link", { name: "2", exact: true }).click();
		await page.waitForURL(new RegExp(`/console/refusals\\?subject=api_client&api_client_id=${kiosk}&from=`));
		await page.getByText("What to do").waitFor();
		noTroubles();
	});
});

describePages("the first steps on the overview", (pages) => {
	const steps = (page: Page) => page.getByRole("region", { name: /^(First steps|入门步骤)$/ });
	const stepsOf = (page: Page) =>
		steps(page)
			.getByRole("link")
			.evaluateAll((links) =>
				(
					links as unknown as { readonly textContent: string; getAttribute(name: string): string | null }[]
				).map((link) => `${link.textContent.trim()} ${link.getAttribute("href")}`),
			);

	test("link to where each is done, tick what is done, and can be folded and dismissed", async () => {
		const { service } = pages;
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		await steps(page).getByText("0 of 6 done").waitFor();
		assert.deepEqual(await stepsOf(page), [
			"Invite a colleague /console/people",
			"Add a second factor to your account /account/security",
			"Connect a mail server /console/installation",
			"Set your name, color, and logo /console/branding",
			"Add your first application /console/applications",
			"Review your first partner /console/requests",
		]);
		await assertAccessible(page);
		await addApplication(service);
		await page.reload();
		await steps(page).getByText("1 of 6 done").waitFor();
		await steps(page)
			.getByRole("link", { name: /application.*\(done\)/ })
			.waitFor();

		await steps(page).getByRole("button", { name: "Hide" }).click();
		assert.deepEqual(await stepsOf(page), ["Invite a colleague /console/people"]);
		await page.reload();
		await steps(page).getByRole("button", { name: "Dismiss" }).click();
		await steps(page).waitFor({ state: "detached" });
		await page.locator("h1:focus").waitFor();
		await page.getByRole("button", { name: "Undo" }).click();
		await steps(page).getByRole("button", { name: "Show" }).click();
		await steps(page).getByRole("link").nth(5).waitFor();
		await steps(page).getByRole("button", { name: "Hide" }).click();
		await steps(page).getByRole("button", { name: "Dismiss" }).click();
		await page.reload();
		await page.getByText("All clear.").or(page.getByText("is locked out").first()).waitFor();
		assert.equal(await steps(page).count(), 0);
		noTroubles();
	});

	test("are for administrators, without what only the operator can do, and end when all is done", async () => {
		const { service } = pages;
		const auditor = await addPerson(service, "audrey", { roles: ["auditor"] });
		const admin = await addPerson(service, "anton", { roles: ["admin"] });
		const other = await pages.openAs(auditor, "/console");
		await other.page.getByText("All clear. Last check").waitFor();
		assert.equal(await steps(other.page).count(), 0);

		const { page, noTroubles } = await pages.openAs(admin, "/console", { locale: "zh-CN" });
		await steps(page).getByText("已完成 2 / 5").waitFor();
		await steps(page).getByRole("link", { name: "设置名称、颜色和徽标" }).waitFor();
		await noAxeViolations(page);
		await enrollTotp(service, admin);
		await service.asAdmin("PUT", "/api/v1/branding", { product_name: "Acme" });
		await decide(service, (await submit(service)).id, "reject");
		await until(
			"the mails are sent",
			async () => (await service.asAdmin("GET", "/api/v1/overview")).waiting_mails === 0,
		);
		await page.reload();
		await page.getByText("一切正常。上次检查").waitFor();
		assert.equal(await steps(page).count(), 0);
		noTroubles();
	});
});
