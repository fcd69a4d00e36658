// The pages of the OpenID provider: sign-in, consent, and cancellation.

import assert from "node:assert/strict";
import { test } from "node:test";
import { None, refreshTokenGrant } from "openid-client";
import type { Page } from "playwright-core";
import { MULTI_FACTOR_ACR } from "../../src/domain/openid-provider.ts";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import { addApplication, putGrant } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	enterPassword,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
} from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { exchange, relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { enrollTotp, nextCode } from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture } from "../harness/runs/fixture.ts";

/** The redirect URI of the application. It is a URL of this origin, because the browser can reach no other origin. */
const BACK = `${PAGES_URL}/docs`;
const NAME = '<img src=x onerror="alert(1)"> \u05d0\u05d1 Orders';

describePages("the pages of the OpenID provider", (pages) => {
	const ada = fixture(() => addPerson(pages.service, "ada"));

	/** An open application that asks for consent, unless fields say otherwise. */
	const connect = async (application: object = {}, settings: Readonly<Record<string, unknown>> = {}) => {
		const fields = { name: "Shop", redirect_uris: [BACK], access_policy: "open", ...application };
		const { id } = await addApplication(pages.service, fields);
		const { client_secret: secret = "" } = await putOAuthClient(pages.service, settings, id);
		const auth = secret === "" ? None() : undefined;
		return await relyingParty(pages.service, { id, secret }, auth, {}, PAGES_URL);
	};
	type Party = Awaited<ReturnType<typeof connect>>;
	const asked = (party: Party, parameters: Readonly<Record<string, string>> = {}) =>
		startAuthorization(party, { redirect_uri: BACK, ...parameters });
	const arrival = async (page: Page): Promise<URL> => {
		await page.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
		return new URL(page.url());
	};

	test("end the access of an application when the user withdraws the consent", async () => {
		const party = await connect({ name: NAME });
		const cleo = await addPerson(pages.service, "cleo");
		const request = await asked(party);
		const { page, noTroubles } = await pages.openAs(cleo);
		await page.goto(request.url.href);
		await page.getByRole("button", { name: "Allow", exact: true }).click();
		const tokens = await exchange(party, await arrival(page), request);
		await page.goto(`${PAGES_URL}/account/access`);
		const list = page.getByRole("list", { name: "Authorized applications" });
		await list.getByText("Your email address").waitFor();
		assert.equal(await page.locator("img").count(), 0);
		await assertAccessible(page);
		await tabAndPress(page, /^Withdraw/);
		const dialog = page.getByRole("dialog");
		await dialog.getByText("It loses access immediately").waitFor();
		await noAxeViolations(page);
		await dialog.getByRole("button", { name: "Withdraw", exact: true }).click();
		await list.waitFor({ state: "detached" });
		const left = await pages.service.call("GET", "/api/v1/users/me/consents", { token: cleo.token });
		assert.equal(left.body.total, 0);
		await assert.rejects(refreshTokenGrant(party, tokens.refresh_token ?? ""), { error: "invalid_grant" });
		noTroubles();
	});

	test("list what a program may do at an API, in the language of the user", async () => {
		const api = await addApplication(pages.service, { name: "Tasks", access_policy: "open" });
		const resource = "https://tasks.example/mcp";
		await putOAuthClient(pages.service, { type: "service", resource }, api.id);
		const role = await pages.service.asAdmin("POST", `/api/v1/applications/${api.id}/roles`, {
			name: "reader",
			permissions: ["tasks:read", "tasks:write"],
			permission_descriptions: [{ permission: "tasks:read", en: NAME, zh: "查看您的任务" }],
		});
		await putGrant(pages.service, api.id, ada.id, [role.id]);
		const party = await connect({}, { allowed_resources: [resource] });
		const request = await asked(party, { resource, scope: "openid tasks:read" });
		for (const [locale, text] of [
			["en", NAME],
			["zh-CN", "查看您的任务"],
		] as const) {
			const { page, noTroubles } = await pages.openAs(ada, request.url.pathname + request.url.search, {
				locale,
			});
			await page.getByText(text).waitFor();
			assert.equal(await page.getByText("tasks:read").count(), 1);
			assert.equal(await page.getByText("tasks:write").count(), 0);
			assert.equal(await page.locator("img").count(), 0);
			await assertAccessible(page);
			noTroubles();
		}
	});

	test("redirect a signed-in user to a first-party application immediately", async () => {
		const party = await connect({}, { first_party: true });
		const request = await asked(party);
		const { page } = await pages.openAs(ada);
		await page.goto(request.url.href, { waitUntil: "commit" });
		assert.equal((await exchange(party, await arrival(page), request)).claims()?.sub, ada.id);
	});

	test("let the user choose an account if the application asks for it, in Chinese too", async () => {
		const bob = await addPerson(pages.service, "bob");
		const party = await connect({}, { first_party: true });
		const request = await asked(party, { prompt: "select_account" });
		const { page, noTroubles } = await pages.openAs(ada, request.url.pathname + request.url.search);
		await page.getByRole("button", { name: "Continue as ada" }).waitFor();
		await assertAccessible(page);
		await tabAndPress(page, "Continue as ada");
		assert.equal((await exchange(party, await arrival(page), request)).claims()?.sub, ada.id);

		const second = await asked(party, { prompt: "select_account" });
		await page.goto(second.url.href);
		await page.getByRole("button", { name: "Use another account" }).click();
		await enterPassword(page, bob);
		assert.equal((await exchange(party, await arrival(page), second)).claims()?.sub, bob.id);

		const third = await asked(party, { prompt: "select_account" });
		const chinese = await pages.openAs(ada, third.url.pathname + third.url.search, { locale: "zh-CN" });
		await chinese.page.getByRole("button", { name: "以 ada 的身份继续" }).waitFor();
		noTroubles();
	});

	test("ask once per browser session for a first-party native application, in Chinese too", async () => {
		const party = await connect({}, { type: "native", first_party: true });
		const iris = await addPerson(pages.service, "iris");
		for (const [locale, warning, allow] of [
			["en", "Allow this only if you have just started it yourself.", "Allow"],
			["zh-CN", "仅当您刚刚亲自发起此操作时才允许。", "允许"],
		] as const) {
			const { page } = await pages.openAs(iris, undefined, { locale });
			await page.goto((await asked(party)).url.href);
			await page.getByText(warning).waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: allow, exact: true }).click();
			assert.match((await arrival(page)).searchParams.get("code") ?? "", /./);
			const { url, state } = await asked(party);
			await page.goto(url.href, { waitUntil: "commit" });
			assert.equal((await arrival(page)).searchParams.get("state"), state);
		}
	});

	test("return to the application without a sign-in and without consent", async () => {
		const party = await connect();
		const { page } = await pages.open();
		const before = await asked(party);
		await page.goto(before.url.href);
		await page.getByRole("button", { name: /^Back to .*Shop/ }).click();
		const refused = (await arrival(page)).searchParams;
		assert.deepEqual([refused.get("error"), refused.get("state")], ["access_denied", before.state]);
		await page.goto((await asked(party)).url.href);
		await enterPassword(page, ada);
		await page.getByRole("heading", { name: "Allow access?" }).waitFor();
		await page.getByRole("button", { name: "Cancel" }).click();
		assert.equal((await arrival(page)).searchParams.get("error"), "access_denied");
		const again = await asked(party);
		await page.goto(again.url.href);
		await page.getByRole("heading", { name: "Allow access?" }).waitFor();
	});

	test("ask for a new sign-in if the application requests it, and end the replaced session", async () => {
		const { service } = pages;
		const party = await connect({}, { first_party: true });
		const gil = await addPerson(service, "gil");
		const { page } = await pages.openAs(gil);
		service.clock.advance(60_000);
		const request = await asked(party, { prompt: "login" });
		await page.goto(request.url.href);
		await page.locator("[name=password]").waitFor();
		assert.equal(await page.locator("[name=username]").inputValue(), "gil");
		await enterPassword(page, gil);
		const tokens = await exchange(party, await arrival(page), request);
		assert.ok((tokens.claims()?.auth_time ?? 0) * 1_000 >= service.clock.now() - 30_000);
		const sessions = await service.call("GET", "/api/v1/users/me/sessions", { token: gil.token });
		// The session of the test itself and the new one.
		assert.equal(sessions.body.total, 2);
	});

	test("explain missing access, and offer the way back or another account", async () => {
		const party = await connect({ access_policy: "assigned" });
		const request = await asked(party);
		const { page } = await pages.openAs(ada);
		await page.goto(request.url.href);
		await page.getByText("Ask the person who runs it.").waitFor();
		await noAxeViolations(page);
		await page.getByRole("button", { name: /^Back to .*Shop/ }).waitFor();
		await page.getByRole("button", { name: "Use another account" }).click();
		await page.locator("[name=username]").waitFor();
		assert.match(page.url(), /\/sign-in\?interaction=/);
	});

	for (const { why, name, application, parameters } of [
		{ why: "requires", name: "eve", application: { require_mfa: true }, parameters: {} },
		{ why: "asks for", name: "hana", application: {}, parameters: { acr_values: MULTI_FACTOR_ACR } },
	])
		test(`enroll a second factor that the application ${why}, and continue`, async () => {
			const { service } = pages;
			const party = await connect(application, { first_party: true });
			const person = await addPerson(service, name);
			const request = await asked(party, parameters);
			const { page } = await pages.open();
			await page.goto(request.url.href);
			await enterPassword(page, person);
			await page.getByRole("button", { name: /^Authenticator app/ }).click();
			await page.getByRole("img", { name: /^QR code/ }).waitFor();
			const secret = (await page.locator(".lk-copy__value").textContent())?.replaceAll(" ", "") ?? "";
			await page.getByLabel("Code from the app").fill(nextCode(service, secret));
			await page.getByRole("button", { name: "I have saved them" }).click();
			const tokens = await exchange(party, await arrival(page), request);
			assert.ok([tokens.claims()?.amr].flat().includes("otp"));
			assert.equal(tokens.claims()?.acr, MULTI_FACTOR_ACR);
		});

	test("ask for a new sign-in if the last one is too old to add a second factor, in Chinese too", async () => {
		const { service } = pages;
		const party = await connect({ require_mfa: true });
		const ines = await addPerson(service, "ines");
		const { page } = await pages.openAs(ines, undefined, { locale: "zh-CN" });
		service.clock.advance(6 * MINUTE_MS);
		await page.goto((await asked(party)).url.href);
		await page.getByText("此应用要求双重验证，请重新登录。").waitFor();
		await page.getByRole("button", { name: "重新登录" }).click();
		await enterPassword(page, ines);
		await page.getByRole("button", { name: /^身份验证器/ }).waitFor();
	});

	test("ask for a second factor that was enrolled after the sign-in", async () => {
		const { service } = pages;
		const party = await connect({ require_mfa: true }, { first_party: true });
		const finn = await addPerson(service, "finn");
		const { page } = await pages.openAs(finn);
		const { secret } = await enrollTotp(service, finn);
		const request = await asked(party);
		await page.goto(request.url.href);
		await page.getByRole("heading", { name: "Confirm it's you" }).waitFor();
		await page.getByText("Can't use any of these?").click();
		await page.getByText("They never need your password or a code.").waitFor();
		await page.getByLabel("Code").fill(nextCode(service, secret));
		const tokens = await exchange(party, await arrival(page), request);
		assert.ok([tokens.claims()?.amr].flat().includes("otp"));
	});

	test("sign in to the tenant of the application, not of the session", async () => {
		const { service } = pages;
		const other = await addSecondTenant(service);
		const made = await service.call("POST", "/api/v1/applications", {
			token: other.adminToken,
			body: { name: "Elsewhere", redirect_uris: [BACK], access_policy: "open" },
		});
		const { id } = made.body.data;
		const put = await service.call("PUT", `/api/v1/applications/${id}/oauth-client`, {
			token: other.adminToken,
			body: { type: "web", first_party: true },
		});
		const { client_secret: secret = "" } = put.body.data;
		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const request = await asked(party);
		const { page } = await pages.openAs(ada);
		await page.goto(request.url.href);
		const otherAccount = page.getByRole("button", { name: "Use another account" });
		await otherAccount.or(page.locator("[name=username]")).first().waitFor();
		if (await otherAccount.isVisible()) await otherAccount.click();
		await enterPassword(page, ada);
		await page.getByText("username and password don't match", { exact: false }).first().waitFor();
		await enterPassword(page, { username: other.admin.username, password: other.admin.password });
		assert.equal((await exchange(party, await arrival(page), request)).claims()?.sub, other.adminId);
	});

	test("report an expired sign-in, in Chinese too", async () => {
		const unknown = "A".repeat(43);
		const { page } = await pages.open(`/sign-in?interaction=${unknown}`);
		await page.getByText("This sign-in took too long").waitFor();
		assert.equal(await page.locator("[name=password]").count(), 0);
		const chinese = await pages.openAs(ada, `/consent?interaction=${unknown}`, { locale: "zh-CN" });
		await chinese.page.getByText("本次登录已结束").waitFor();
		await noAxeViolations(chinese.page);
	});

	test("use the language that the application requests, unless the user chose one", async () => {
		const party = await connect();
		const { page } = await pages.open();
		const { url } = await asked(party, { ui_locales: "fr zh-CN en" });
		await page.goto(url.href);
		await page.getByRole("heading", { level: 1, name: "登录" }).waitFor();
		assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
		await page.getByRole("combobox").selectOption("en");
		await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
		await page.reload();
		await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
	});

	test("grant nothing until the user allows it, and send a user without a session to the sign-in", async () => {
		const party = await connect({ name: "Quiet" });
		const { page } = await pages.openAs(ada);
		await page.goto((await asked(party)).url.href);
		await page.getByRole("heading", { name: "Allow access?" }).waitFor();
		const address = page.url();
		await page.reload();
		await page.getByRole("heading", { name: "Allow access?" }).waitFor();
		await page.getByRole("button", { name: "Use another account" }).click();
		await page.locator("[name=username]").waitFor();
		assert.equal(page.url(), address.replace("/consent", "/sign-in"));
		await page.goto(address);
		await page.locator("[name=username]").waitFor();
		assert.equal(page.url(), address.replace("/consent", "/sign-in"));
	});
});
