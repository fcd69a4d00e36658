// The screens to capture.

import type { Page } from "playwright-core";
import { PAGES_URL } from "../../test/harness/browser/pages.ts";
import type { ExampleData } from "./example-data.ts";

export interface View {
	/** File name. */
	readonly name: string;
	/** `{person}`, `{application}`, `{client}` and `{request}` are replaced with ids of the example data. */
	readonly path: string;
	/** User name of the signed-in user; default: signed out. */
	readonly as?: string;
	/** Steps before the screenshot, such as opening a menu. */
	readonly steps?: (page: Page, data: ExampleData) => Promise<void>;
}

export const VIEWS: readonly View[] = [
	{ name: "docs", path: "/docs" },
	{ name: "docs-endpoint", path: "/docs#createUser", as: "maria.silva" },
	{ name: "docs-guide", path: "/docs/signing" },
	{ name: "docs-guide-diagram", path: "/docs/signing#what-is-signed" },
	{ name: "docs-guide-sign-in", path: "/docs/protect-your-application" },
	{ name: "docs-guide-chinese", path: "/docs/zh-cn/signing#签名的内容" },
	{ name: "docs-search", path: "/docs?q=nonce.reused" },
	{ name: "account-profile", path: "/account", as: "aisha.rahman" },
	{ name: "account-security", path: "/account/security", as: "aisha.rahman" },
	{
		name: "account-authenticator",
		path: "/account/security",
		as: "aisha.rahman",
		async steps(page, { people }) {
			await page.getByRole("button", { name: "Set up" }).click();
			const person = people.find(({ username }) => username === "aisha.rahman");
			await page.getByLabel("Your password", { exact: true }).fill(person?.password ?? "");
			await page.keyboard.press("Enter");
			await page.getByRole("img", { name: /^QR code/ }).waitFor();
		},
	},
	{ name: "account-sessions", path: "/account/sessions", as: "aisha.rahman" },
	{ name: "account-access", path: "/account/access", as: "aisha.rahman" },
	{ name: "home", path: "/" },
	{ name: "sign-in", path: "/sign-in" },
	{ name: "sign-up", path: "/sign-up" },
	{ name: "signed-out", path: "/signed-out" },
	{
		name: "consent",
		path: "/",
		as: "aisha.rahman",
		async steps(page, { applicationIds: [clientId = ""] }) {
			await page.goto(`${PAGES_URL}/oauth/authorize?${authorization(clientId)}`);
			await page.getByRole("button", { name: "Allow" }).waitFor();
		},
	},
	{
		name: "device-code",
		path: "/oauth/device?user_code=WDJB-MJHT",
		as: "aisha.rahman",
	},
	{
		name: "device",
		path: "/",
		as: "aisha.rahman",
		async steps(page, { newDevice }) {
			await page.goto(`${PAGES_URL}/oauth/device?user_code=${await newDevice()}`);
			await page.getByRole("button", { name: "Continue" }).click();
			await page.getByRole("button", { name: "Refuse" }).waitFor();
		},
	},
	{
		name: "program",
		path: "/program?request=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		as: "aisha.rahman",
	},
	{
		name: "sign-out",
		path: "/",
		as: "aisha.rahman",
		async steps(page, { applicationIds: [clientId = ""] }) {
			await page.goto(`${PAGES_URL}/oauth/end-session?client_id=${clientId}`);
			await page.getByRole("button", { name: "Stay signed in" }).waitFor();
		},
	},
	{ name: "restore-email", path: "/restore-email#example" },
	{ name: "console-overview", path: "/console", as: "maria.silva", steps: waitForStatistics },
	{
		name: "console-account-menu",
		path: "/console",
		as: "maria.silva",
		steps: async (page) => {
			await waitForStatistics(page);
			await page.getByRole("button", { name: /^Your account/ }).click();
		},
	},
	{ name: "console-reviews", path: "/console/reviews", as: "maria.silva" },
	{ name: "console-requests", path: "/console/requests/{request}", as: "jonas.berg" },
	{
		name: "console-requests-approve",
		path: "/console/requests/{request}",
		as: "maria.silva",
		steps: (page) => page.getByRole("button", { name: "Approve…" }).click(),
	},
	{
		name: "console-requests-selected",
		path: "/console/requests/{request}",
		as: "jonas.berg",
		steps: async (page) => {
			// The phone shows only the open request.
			if ((page.viewportSize()?.width ?? 0) < 1_024) return;
			await page.keyboard.press("x");
			await page.getByRole("button", { name: "Clear selection" }).waitFor();
		},
	},
	{ name: "console-people", path: "/console/people", as: "maria.silva" },
	{
		name: "console-palette",
		path: "/console/people",
		as: "maria.silva",
		steps: async (page) => {
			await page.keyboard.press("Control+K");
			await page.getByRole("dialog").getByRole("combobox").fill("or");
			await page
				.getByRole("option", { name: /Order Portal/ })
				.first()
				.waitFor();
		},
	},
	{
		name: "console-person",
		path: "/console/people/{person}",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("button", { name: "Start a check" }).click();
			await page.getByLabel("Application", { exact: true }).selectOption({ label: "Order Portal" });
			await page.getByLabel("Permission").fill("orders:write");
			await page.getByRole("button", { name: "Check", exact: true }).click();
			await page.getByText("Because").waitFor();
			await page.evaluate("scrollTo(0, 0)");
		},
	},
	{
		name: "console-people-add",
		path: "/console/people",
		as: "maria.silva",
		steps: (page) => page.getByRole("button", { name: "Add a person" }).click(),
	},
	{ name: "console-applications", path: "/console/applications", as: "maria.silva" },
	{ name: "console-application", path: "/console/applications/{application}", as: "maria.silva" },
	{ name: "console-application-roles", path: "/console/applications/{application}#roles", as: "maria.silva" },
	{
		name: "console-application-settings",
		path: "/console/applications/{application}#settings",
		as: "maria.silva",
	},
	{
		name: "console-application-connect",
		path: "/console/applications/{application}#connect",
		as: "maria.silva",
	},
	{
		name: "console-openid",
		path: "/console/applications/{application}#connect",
		as: "maria.silva",
		steps: (page) => showCard(page, "Sign-in with OpenID Connect"),
	},
	{
		name: "console-openid-settings",
		path: "/console/applications/{application}#connect",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("button", { name: "Change settings…" }).click();
			await page.getByLabel("Client authentication").selectOption("private_key_jwt");
			await showCard(page, "Sign-in with OpenID Connect");
		},
	},
	{
		name: "console-openid-code",
		path: "/console/applications/{application}#connect",
		as: "maria.silva",
		steps: (page) => showCard(page, "Code for your framework"),
	},
	{
		name: "console-openid-connect",
		path: "/console/applications",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("link", { name: "Shipment tracking" }).click();
			await page.getByRole("tab", { name: "Connect" }).click();
			await page.getByRole("heading", { name: "How is your application built?" }).waitFor();
		},
	},
	{
		name: "console-shortcuts",
		path: "/console/requests/{request}",
		as: "jonas.berg",
		steps: async (page) => {
			await page.getByRole("button", { name: "Approve…" }).waitFor();
			await page.keyboard.press("?");
			await page.getByRole("dialog").waitFor();
		},
	},
	{ name: "console-audit", path: "/console/audit", as: "wei.zhang" },
	{
		name: "console-audit-event",
		path: "/console/audit?action=grant.created",
		as: "wei.zhang",
		steps: (page) => page.locator(".lk-events__event summary").first().click(),
	},
	{ name: "console-refusals", path: "/console/refusals", as: "wei.zhang" },
	{ name: "console-groups", path: "/console/groups", as: "maria.silva" },
	{
		name: "console-group",
		path: "/console/groups",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("link", { name: "Sales" }).click();
			await page.getByRole("tab", { name: "Members" }).waitFor();
		},
	},
	{ name: "console-webhooks", path: "/console/webhooks", as: "maria.silva" },
	{
		name: "console-webhook",
		path: "/console/webhooks",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("link", { name: /^hooks\.nordwind\.example/ }).click();
			await page.getByRole("heading", { name: "Deliveries" }).waitFor();
			await page.waitForLoadState("networkidle");
		},
	},
	{ name: "console-mail", path: "/console/mail", as: "maria.silva" },
	{ name: "console-keys", path: "/console/keys", as: "maria.silva" },
	{ name: "console-providers", path: "/console/providers", as: "maria.silva" },
	{
		name: "console-provider-add",
		path: "/console/providers",
		as: "maria.silva",
		steps: (page) => page.getByRole("button", { name: "Add provider" }).click(),
	},
	{ name: "console-branding", path: "/console/branding", as: "maria.silva" },
	{ name: "console-tenants", path: "/console/tenants", as: "admin" },
	{ name: "console-installation", path: "/console/installation", as: "admin" },
	{ name: "console-program-requests", path: "/console/requests?kind=program", as: "jonas.berg" },
	{ name: "console-programs", path: "/console/programs", as: "maria.silva" },
	{ name: "console-clients", path: "/console/clients", as: "maria.silva" },
	{
		name: "console-client",
		path: "/console/clients",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("link", { name: "Kiosk" }).click();
			await page
				.locator("main summary", { has: page.locator("code") })
				.first()
				.click();
		},
	},
	{
		name: "console-client-connect",
		path: "/console/clients/{client}#connect",
		as: "maria.silva",
		steps: (page) => page.getByText("first-call.mjs").first().waitFor(),
	},
	{
		name: "console-client-allowlist",
		path: "/console/clients/{client}",
		as: "maria.silva",
		steps: async (page) => {
			await page.getByRole("tab", { name: "Allowed addresses" }).click();
			const entries = ["127.0.0.0/8", "203.0.113.0/24", "203.0.113.7", "10.0.0.1/8"];
			for (const [index, entry] of entries.entries()) {
				if (index > 0) await page.getByRole("button", { name: "Add address" }).click();
				await page.getByLabel(`Addresses and ranges, row ${index + 1}`).fill(entry);
			}
			await page.getByText(/does not store the address/).waitFor();
		},
	},
	// Last, because each creates a request that the queue would show.
	{ name: "portal", path: "/portal" },
	{
		name: "portal-received",
		path: "/portal",
		steps: async (page) => {
			const values = {
				applicant_name: "Hannah Vogel",
				company: "Nordwind Logistik GmbH",
				email: `hannah-${Date.now()}@nordwind.example`,
				project_name: "Shipment tracking",
				purpose: "Show our buyers where their shipments are.",
			};
			for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value);
			await page.getByRole("button", { name: "Send request" }).click();
			await page.getByRole("heading", { name: "Request received" }).waitFor();
		},
	},
	{ name: "claim", path: "/claim", steps: async (page, data) => openLink(page, await data.newLink("claim")) },
	{
		name: "claim-credentials",
		path: "/claim",
		steps: async (page, data) => {
			await openLink(page, await data.newLink("claim"));
			await page.getByRole("button", { name: "Claim credentials" }).click();
			await page.getByRole("button", { name: "Make the call" }).click();
			await page.getByText("the signature was accepted").waitFor();
			await page.evaluate("scrollTo(0, 0)");
		},
	},
	{
		name: "claim-code",
		path: "/claim",
		steps: async (page, data) => {
			await openLink(page, await data.newLink("claim"));
			await page.getByRole("button", { name: "Claim credentials" }).click();
			await page.getByRole("combobox", { name: "Signed call in a programming language" }).selectOption("go");
			await page.getByRole("heading", { name: "3. Call from your code" }).scrollIntoViewIfNeeded();
			await page.evaluate("scrollTo(0, document.body.scrollHeight)");
		},
	},
	{
		name: "test-client",
		path: "/test-client",
		steps: async (page, data) => {
			await openLink(page, await data.newLink("test-client"));
			await page.getByRole("button", { name: "Create test client" }).click();
			await page.getByRole("heading", { name: "Sample people" }).waitFor();
		},
	},
	{
		name: "withdraw",
		path: "/withdraw",
		steps: async (page, data) => openLink(page, await data.newLink("withdraw")),
	},
];

/** Authorization request of an application; the code is never redeemed. */
function authorization(clientId: string): URLSearchParams {
	return new URLSearchParams({
		client_id: clientId,
		redirect_uri: "http://localhost:3000/signed-in",
		response_type: "code",
		scope: "openid profile email roles",
		resource: "https://api.example.com",
		state: "example",
		nonce: "example",
		code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
		code_challenge_method: "S256",
	});
}

async function showCard(page: Page, title: string): Promise<void> {
	const card = page.getByRole("region", { name: title });
	await card.waitFor();
	await page.waitForLoadState("networkidle");
	const headings = "[...document.querySelectorAll('section h2')]";
	await page.evaluate(
		`${headings}.find((one) => one.textContent === ${JSON.stringify(title)}).scrollIntoView()`,
	);
}

/** Counts are delayed by a few seconds. */
async function waitForStatistics(page: Page): Promise<void> {
	for (let attempt = 0; attempt < 20; attempt++) {
		await page.getByText("Show as table").first().waitFor();
		if ((await page.getByText("Refused, by reason:").count()) > 0) return;
		await page.waitForTimeout(1_000);
		await page.reload();
	}
}

/** Leaves the page first: otherwise only the fragment would change and the page would not load. */
async function openLink(page: Page, link: string): Promise<void> {
	await page.goto("about:blank");
	await page.goto(link);
	await page.locator("main button").first().waitFor();
}
