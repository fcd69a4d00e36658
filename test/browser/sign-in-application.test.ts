// The sign-in page for applications, and with accounts at providers.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import { ABSENT_ID, addApplication, type CreatedApplication } from "../harness/applications.ts";
import { describePages } from "../harness/describe-pages.ts";
import { putOAuthClient } from "../harness/oauth-clients.ts";
import { type OidcProvider, startOidcProvider } from "../harness/oidc-provider.ts";
import { assertAccessible, noAxeViolations, PAGES_URL } from "../harness/pages.ts";
import { addPerson, type Person } from "../harness/people.ts";
import { enrollTotp, nextCode } from "../harness/second-factors.ts";
import { PROVIDER_NETWORK, THIRD_PARTY } from "../harness/third-party.ts";

/** The redirect URI of the application. It is a URL of this origin, because the browser can reach no other origin. */
const BACK = `${PAGES_URL}/docs`;
const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };
const NAME = '<img src=x onerror="alert(1)"> \u202eOrders';

describePages(
	"/sign-in for an application",
	(pages) => {
		let provider: OidcProvider;
		let app: CreatedApplication;
		let ada: Person;
		before(async () => {
			const callback = `${PAGES_URL}${THIRD_PARTY}/corp/callback`;
			const users = ["grace", "stranger"].map((sub) => ({
				sub,
				email: `${sub}@provider.example`,
				email_verified: true,
				name: sub,
				preferred_username: sub,
			}));
			provider = await startOidcProvider({ clients: [{ ...CLIENT, redirect_uris: [callback] }], users });
			const { service } = pages;
			const fields = { name: NAME, redirect_uris: [BACK], access_policy: "open" };
			app = await addApplication(service, fields);
			ada = await addPerson(service, "ada");
			const token = await service.adminToken();
			const body = {
				provider: "corp",
				kind: "oidc",
				display_name: "Corp",
				issuer: provider.issuer,
				...CLIENT,
			};
			const added = await service.call("POST", "/api/v1/identity-providers", {
				token,
				body: { ...body, sign_up: true },
			});
			assert.equal(added.status, 201, JSON.stringify(added.body));
		});
		after(() => provider?.close());

		const path = (fields: Readonly<Record<string, string>> = {}) =>
			`/sign-in?${new URLSearchParams({ app_id: app.id, redirect_uri: BACK, state: "a b&c=d", ...fields })}`;
		const enter = async (page: Page, { username, password }: Person) => {
			await page.getByLabel("Username or email").fill(username);
			await page.getByLabel("Password", { exact: true }).fill(password);
			await page.keyboard.press("Enter");
		};
		/** Redeems the ticket as the application does. */
		const arrives = async (page: Page) => {
			await page.waitForURL(`${BACK}?*`);
			const query = new URL(page.url()).searchParams;
			const body = { ticket: query.get("ticket") };
			const { data } = (await pages.service.call("POST", `${THIRD_PARTY}/token`, { body })).body;
			return { state: query.get("state"), username: data.user.username };
		};

		test("names the application, returns to it with ticket and state, and asks nothing the next time", async () => {
			const { page, noTroubles } = await pages.open(path());
			await page.getByText("to continue to").waitFor();
			assert.equal(await page.locator("img").count(), 0);
			await assertAccessible(page);
			await enter(page, ada);
			assert.deepEqual(await arrives(page), { state: "a b&c=d", username: "ada" });
			await page.goto(`${PAGES_URL}${path({ state: "2" })}`, { waitUntil: "commit" });
			assert.deepEqual(await arrives(page), { state: "2", username: "ada" });
			noTroubles();
		});

		test("does not redirect to an unregistered URI, and reports an unknown tenant", async () => {
			for (const fields of [
				{ redirect_uri: "https://evil.example/" },
				{ redirect_uri: `${BACK}/more` },
				{ app_id: ABSENT_ID },
				{ tenant: "nowhere" },
			]) {
				const { page } = await pages.openAs(ada, path(fields as Record<string, string>));
				await page.getByText("The link that brought you here is not valid").waitFor();
				assert.ok(page.url().startsWith(`${PAGES_URL}/sign-in?`));
				assert.equal(await page.getByLabel("Password", { exact: true }).count(), 0);
			}
		});

		test("refuses an application that uses OpenID Connect, and explains it, in Chinese too", async () => {
			const { service } = pages;
			const connected = await addApplication(service, { redirect_uris: [BACK], access_policy: "open" });
			await putOAuthClient(service, { type: "web" }, connected.id);
			for (const [locale, text] of [
				["en", "This link is outdated"],
				["zh-CN", "此链接已失效"],
			] as const) {
				const { page } = await pages.openAs(ada, path({ app_id: connected.id }), { locale });
				await page.getByText(text).waitFor();
				await noAxeViolations(page);
				assert.ok(page.url().startsWith(`${PAGES_URL}/sign-in?`));
				assert.equal(await page.locator("[name=password]").count(), 0);
			}
		});

		test("explains missing access, and offers another account", async () => {
			const { service } = pages;
			const closed = await addApplication(service, { name: "Closed", redirect_uris: [BACK] });
			const { page } = await pages.openAs(ada, path({ app_id: closed.id }));
			await page.getByText("You have no access to this application.").waitFor();
			await noAxeViolations(page);
			await page.getByRole("button", { name: "Use another account" }).click();
			await page.getByLabel("Username or email").waitFor();
			assert.ok(page.url().includes(closed.id));
		});

		describe("that requires a second factor", () => {
			let strict: CreatedApplication;
			before(async () => {
				const fields = { name: "Strict", redirect_uris: [BACK], access_policy: "open", require_mfa: true };
				strict = await addApplication(pages.service, fields);
			});

			test("enrolls the first one in place, continues, and ends the session without it", async () => {
				const { service } = pages;
				const eve = await addPerson(service, "eve");
				const { page, noTroubles } = await pages.open(path({ app_id: strict.id }));
				await enter(page, eve);
				await page.getByRole("heading", { name: "Protect your account" }).waitFor();
				await assertAccessible(page);
				await page.getByRole("button", { name: /^Authenticator app/ }).click();
				await page.getByRole("img", { name: /^QR code/ }).waitFor();
				const secret = (await page.locator(".lk-copy__value").textContent())?.replaceAll(" ", "") ?? "";
				await page.getByLabel("Code from the app").fill(nextCode(service, secret));
				await page.getByRole("button", { name: "I have saved them" }).click();
				assert.deepEqual(await arrives(page), { state: "a b&c=d", username: "eve" });
				const listed = await service.call("GET", "/api/v1/users/me/sessions", { token: eve.token });
				// The session of the test, the one with the factor, and the session of the application.
				assert.equal(listed.body.total, 3);
				noTroubles(/ 403 /);
			});

			test("asks for one that was enrolled after the sign-in", async () => {
				const { service } = pages;
				const finn = await addPerson(service, "finn");
				const { page } = await pages.openAs(finn);
				const { secret } = await enrollTotp(service, finn);
				await page.goto(`${PAGES_URL}${path({ app_id: strict.id })}`);
				await page.getByRole("heading", { name: "Confirm it's you" }).waitFor();
				await page.getByLabel("Code").fill(nextCode(service, secret));
				assert.equal((await arrives(page)).username, "finn");
			});

			test("asks for a new sign-in if the last one is too old, in Chinese too", async () => {
				const { service } = pages;
				const gil = await addPerson(service, "gil");
				const { page } = await pages.openAs(gil, undefined, { locale: "zh-CN" });
				service.clock.advance(6 * MINUTE_MS);
				await page.goto(`${PAGES_URL}${path({ app_id: strict.id })}`);
				await page.getByText("此应用要求双重验证，请重新登录。").waitFor();
				await page.getByRole("button", { name: "重新登录" }).click();
				await page.locator("[name=username]").fill(gil.username);
				await page.locator("[name=password]").fill(gil.password);
				await page.keyboard.press("Enter");
				await page.getByRole("button", { name: /^身份验证器/ }).waitFor();
				assert.ok(page.url().includes(strict.id));
			});
		});

		test("redirects to a provider and returns to the same application", async () => {
			const { page } = await pages.open(path());
			await page.getByRole("button", { name: "Continue with Corp" }).click();
			await page.getByLabel("Subject").fill("grace");
			await page.getByRole("button", { name: "Sign in" }).click();
			assert.deepEqual(await arrives(page), { state: "a b&c=d", username: "grace" });
		});

		test("explains a refusal by the provider, and removes it from the URL", async () => {
			const { page } = await pages.open(path());
			await page.getByRole("button", { name: "Continue with Corp" }).click();
			await page.getByRole("button", { name: "Deny" }).click();
			await page.getByText("The sign-in was canceled at the provider.").waitFor();
			assert.equal(page.url(), `${PAGES_URL}${path()}`);
			await enter(page, ada);
			assert.equal((await arrives(page)).username, "ada");
		});
	},
	() => ({ LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK }),
);
