import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { ACCESS_REQUEST_MAX as LIMITS } from "../../pages/api/limits.ts";
import {
	APPLICANT_NAME_MAX,
	COMPANY_MAX,
	PROJECT_NAME_MAX,
	PURPOSE_MAX,
} from "../../src/domain/access-request.ts";
import { mailedLinks, QUEUE, submission, submit } from "../harness/access/access-requests.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, fitsEveryWidth, PAGES_URL, tabAndPress, tabTo } from "../harness/browser/pages.ts";

const MARKUP = "<img src=x onerror=alert(1)>";
const RIGHT_TO_LEFT = "مؤسسة أدا لوفلايس";

describePages("/portal", (pages) => {
	const fill = async (page: Page, values: Readonly<Record<string, unknown>>) => {
		for (const [name, value] of Object.entries(values))
			await page.locator(`[name=${name}]`).fill(String(value));
	};
	const invalidFields = (page: Page) =>
		page.evaluate<string[]>(
			`[...document.querySelectorAll("[aria-invalid=true]")].map((field) => field.name)`,
		);
	const listed = async (q: string) => {
		const token = await pages.service.adminToken();
		return (await pages.service.call("GET", `${QUEUE}?q=${encodeURIComponent(q)}`, { token })).body.data;
	};

	test("sends the request to the tenant in the URL, and explains an unknown one", async () => {
		const token = await pages.service.adminToken();
		const name = `Nordwind ${MARKUP} ${RIGHT_TO_LEFT}`;
		const { status, body } = await pages.service.call("POST", "/api/v1/tenants", {
			token,
			body: {
				name,
				slug: "nordwind",
				admin: { username: "nora", email: "nora@nordwind.example", password: "wind from the north" },
			},
		});
		assert.equal(status, 201, JSON.stringify(body));
		const { page, troubles, noTroubles } = await pages.open("/portal?tenant=nordwind");
		await page.getByText(name).waitFor();
		await assertAccessible(page);
		await fill(page, submission({ email: "partner@of-nordwind.example" }));
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		assert.deepEqual(await listed("of-nordwind.example"), [], "the default tenant has no request");
		const signIn = await pages.service.call("POST", "/api/v1/auth/login", {
			body: { username: "nora", password: "wind from the north" },
			headers: { "x-tenant-id": body.data.id },
		});
		const own = await pages.service.call("GET", QUEUE, { token: signIn.body.data.access_token });
		assert.equal(own.body.total, 1);
		await page.goto(`${PAGES_URL}/portal?tenant=%3Cb%3Enobody`);
		await page.getByText("Organization not found").waitFor();
		await page.getByText("“<b>nobody”").waitFor();
		await assertAccessible(page);
		assert.equal(troubles.length, 1, "the 404");
		noTroubles(/404/);
	});

	test("sends a request by keyboard, and explains the next steps", async () => {
		const { page, noTroubles } = await pages.open("/portal");
		await page.getByRole("heading", { level: 1, name: "Request API access" }).waitFor();
		await assertAccessible(page);
		for (const [label, text] of [
			["Your name", "Grace Hopper"],
			["Company", "Compilers Inc"],
			["Email address", "grace@compilers.example"],
			["Project", "Nightly builds"],
			["What will you use the API for?", "To sign people in."],
		] as const) {
			await tabTo(page, label);
			await page.keyboard.type(text);
		}
		await tabAndPress(page, "Send request");
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		assert.match((await page.getByRole("status").first().textContent()) ?? "", /grace@compilers\.example/);
		const [record] = await listed("grace@compilers.example");
		assert.deepEqual(
			[record?.applicant_name, record?.company, record?.project_name, record?.purpose, record?.status],
			["Grace Hopper", "Compilers Inc", "Nightly builds", "To sign people in.", "pending"],
		);
		assert.equal((await mailedLinks(pages.service, "grace@compilers.example", "withdraw")).length, 1);
		assert.ok(await page.getByText(record?.id ?? "none").isVisible());
		await assertAccessible(page);
		await page.getByRole("button", { name: "Send another request" }).click();
		assert.equal(await page.getByLabel("Your name").inputValue(), "Grace Hopper");
		assert.equal(await page.getByLabel("Project").inputValue(), "");
		noTroubles();
	});

	test("keeps a draft over a reload until it is sent", async () => {
		const { page, noTroubles } = await pages.open("/portal");
		await page.getByLabel("What will you use the API for?").fill("Three paragraphs.");
		await page.getByLabel("Your name").fill("Grace Hopper");
		await page.reload();
		assert.equal(await page.getByLabel("What will you use the API for?").inputValue(), "Three paragraphs.");
		assert.equal(await page.locator("code:not([translate=no])").count(), 0);
		await fill(page, { ...submission(), applicant_name: "Grace Hopper" });
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		await page.reload();
		assert.equal(await page.getByLabel("What will you use the API for?").inputValue(), "");
		noTroubles();
	});

	test("shows markup and right-to-left text as text", async () => {
		const { page, noTroubles } = await pages.open("/portal");
		await fill(page, {
			...submission({ applicant_name: RIGHT_TO_LEFT, company: MARKUP }),
			project_name: `${MARKUP} ${RIGHT_TO_LEFT}`,
			purpose: `${MARKUP}\n${RIGHT_TO_LEFT} ${"x".repeat(300)}`,
		});
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		assert.equal(await page.locator("img").count(), 0);
		assert.ok(await page.getByText(MARKUP, { exact: true }).isVisible());
		await fitsEveryWidth(page);
		noTroubles();
	});

	test("reports missing and too long values before sending, with the limits of the API", async () => {
		assert.deepEqual(LIMITS, {
			applicant_name: APPLICANT_NAME_MAX,
			email: 254,
			company: COMPANY_MAX,
			project_name: PROJECT_NAME_MAX,
			purpose: PURPOSE_MAX,
		});
		const { page, requests, noTroubles } = await pages.open("/portal");
		await page.getByRole("button", { name: "Send request" }).click();
		assert.deepEqual(await invalidFields(page), ["applicant_name", "email", "project_name", "purpose"]);
		await page.locator("[name=applicant_name]:focus").waitFor();
		// A character outside the Basic Multilingual Plane counts once; surrounding whitespace does not count. A name needs a letter.
		const longest = `${"🎈".repeat(APPLICANT_NAME_MAX - 1)}a`;
		await fill(page, submission({ applicant_name: `${longest}🎈`, email: "two@at@signs.example" }));
		assert.equal(await page.locator("[aria-invalid=true]").count(), 0);
		await page.getByText("1 character too many").first().waitFor();
		await page.getByRole("button", { name: "Send request" }).click();
		assert.deepEqual(await invalidFields(page), ["applicant_name", "email"]);
		assert.ok(!requests.some((request) => request.startsWith("POST ")));
		await fill(page, { applicant_name: `  ${longest}  `, email: "one@sign.example" });
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		assert.equal((await listed("one@sign.example"))[0]?.applicant_name, longest);
		noTroubles();
	});

	test("explains that a request of the same email address is pending, and keeps the input", async () => {
		const { email } = await submit(pages.service);
		const { page } = await pages.open("/portal");
		await fill(page, submission({ email }));
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByText("already under review").waitFor();
		await page.locator("[name=email]:focus").waitFor();
		assert.equal(await page.locator("[name=purpose]").inputValue(), "To compute Bernoulli numbers.");
		await page.locator("[name=email]").fill("another@partner.example");
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
	});

	test("shows the error text of the API, and retries after 503", async () => {
		const { page } = await pages.open("/portal");
		await fill(page, submission({ email: `dots..dots@partner.example` }));
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByText("must be one ASCII email address").waitFor();
		await page.route("**/api/v1/access-requests", (route) =>
			route.fulfill({
				status: 503,
				headers: { "retry-after": "1", "content-type": "application/problem+json" },
				body: JSON.stringify({ code: "service.busy", detail: "the service is busy" }),
			}),
		);
		await page.locator("[name=email]").fill("waits@partner.example");
		await page.getByRole("button", { name: "Send request" }).click();
		await page.getByText("the service is busy").waitFor();
		await page.unroute("**/api/v1/access-requests");
		await page.getByRole("button", { name: "Try again", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		assert.equal((await listed("waits@partner.example")).length, 1);
	});

	test("uses Chinese on the page and in the confirmation mail", async () => {
		const { page, noTroubles } = await pages.open("/portal", { locale: "zh-CN" });
		await fill(page, submission({ email: "chinese@partner.example" }));
		await page.getByRole("button", { name: "提交申请" }).click();
		await page.getByRole("heading", { level: 1, name: "申请已收到" }).waitFor();
		assert.equal(await page.title(), "申请已收到 · Latchkey");
		const [mail] = await pages.service.mailsTo("chinese@partner.example", 1);
		assert.match(mail?.text ?? "", /申请/);
		noTroubles();
	});
});
