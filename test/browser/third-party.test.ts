// Signing in with an account at a provider, on the sign-in page and in a browser with its real rules for cookies.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import {
	type OidcProvider,
	signInAtProvider,
	startOidcProvider,
} from "../harness/providers/oidc-provider.ts";
import { PROVIDER_NETWORK, THIRD_PARTY } from "../harness/providers/third-party.ts";
import { ADMIN } from "../harness/service/service.ts";

const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };
const USERS = ["ada", "bob", "carol", "dora"].map((sub) => ({
	sub,
	email: `${sub}@provider.example`,
	email_verified: true,
	name: `${sub} of the provider`,
	preferred_username: `${sub}-elsewhere`,
}));
const SIGN_IN = "/sign-in?return_to=%2Faccount%2Fsessions";

describePages(
	"signing in with an account elsewhere",
	(pages) => {
		let provider: OidcProvider;
		let elsewhere: { readonly url: string; close(): void };
		before(async () => {
			const redirect_uris = ["corp", "corp-trial"].map(
				(slug) => `${PAGES_URL}${THIRD_PARTY}/${slug}/callback`,
			);
			provider = await startOidcProvider({
				clients: [{ ...CLIENT, redirect_uris }],
				users: USERS,
			});
			const corp = { provider: "corp", kind: "oidc", display_name: "Corp", issuer: provider.issuer };
			await pages.service.asAdmin("POST", "/api/v1/identity-providers", {
				...corp,
				...CLIENT,
				sign_up: true,
			});
			elsewhere = await startFormPoster();
		});
		after(async () => {
			elsewhere?.close();
			await provider?.close();
		});

		const choose = async (page: Page) => page.getByRole("button", { name: "Continue with Corp" }).click();
		/** Signs in on the page of the provider. */
		const signInThere = async (page: Page, sub: string): Promise<void> => {
			await page.getByLabel("Subject").fill(sub);
			await page.getByRole("button", { name: "Sign in" }).click();
		};
		/** Chooses the provider, and signs in there outside the browser. @returns the callback */
		const callbackOf = async (page: Page, sub: string): Promise<string> => {
			const begun = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth`));
			await choose(page);
			return (await signInAtProvider((await begun).url(), sub)).href;
		};
		const arrives = async (page: Page, sub: string): Promise<void> => {
			await page.waitForURL(`${PAGES_URL}/account/sessions`);
			await page.getByText(`${sub} of the provider`).first().waitFor();
		};
		const isRefused = async (page: Page): Promise<void> => {
			assert.equal(await page.getByRole("heading").textContent(), "Bad Request");
			assert.match((await page.locator("main").textContent()) ?? "", /began in another browser/);
		};

		test("signs in through the provider, asks nothing the next time, and leaves no trace in the URL", async () => {
			const { page, context } = await pages.open(SIGN_IN);
			await choose(page);
			await signInThere(page, "ada");
			await arrives(page, "ada");
			const cookies = (await context.cookies(PAGES_URL)).map(({ name, httpOnly, secure, sameSite }) => [
				name,
				httpOnly,
				secure,
				sameSite,
			]);
			assert.deepEqual(cookies.toSorted(), [
				["__Host-latchkey", true, true, "Lax"],
				["__Host-latchkey-browser", true, true, "Lax"],
			]);
			// The provider sees no URL of the service.
			assert.equal(await page.evaluate("document.referrer"), "");
			await context.clearCookies({ name: "__Host-latchkey" });
			await page.goto(`${PAGES_URL}${SIGN_IN}`);
			await choose(page);
			await arrives(page, "ada");
		});

		test("explains a refusal by the provider, and removes it from the URL", async () => {
			const { page } = await pages.open(SIGN_IN);
			await choose(page);
			await page.getByRole("button", { name: "Deny" }).click();
			await page.getByText("The sign-in was canceled at the provider.").waitFor();
			assert.equal(page.url(), `${PAGES_URL}${SIGN_IN}`);
			await noAxeViolations(page);
		});

		test("explains a sign-in that took too long, in Chinese too", async () => {
			for (const [locale, text] of [
				["en", "This took too long or was already used."],
				["zh-CN", "登录超时或已使用过"],
			] as const) {
				const { page } = await pages.open(`${SIGN_IN}#finish`, { locale });
				await page.getByText(text).waitFor();
				assert.equal(page.url(), `${PAGES_URL}${SIGN_IN}`);
			}
		});

		test("refuses a callback in another browser, with or without a sign-in in progress there", async () => {
			const [own, other] = [await pages.open(SIGN_IN), await pages.open(SIGN_IN)];
			const callback = await callbackOf(own.page, "bob");
			await other.page.goto(callback);
			await isRefused(other.page);
			await other.page.goto(`${PAGES_URL}${SIGN_IN}`);
			await choose(other.page);
			await other.page.getByLabel("Subject").waitFor();
			await other.page.goto(callback);
			await isRefused(other.page);
			await own.page.goto(callback);
			await arrives(own.page, "bob");
		});

		test("accepts a callback as a cross-site form, as Apple sends it", async () => {
			const [own, other] = [await pages.open(SIGN_IN), await pages.open()];
			const callback = await callbackOf(own.page, "carol");
			const form = `${elsewhere.url}/?${new URLSearchParams({ to: callback })}`;
			await other.page.goto(form);
			await other.page.waitForURL(`${PAGES_URL}/**`);
			await isRefused(other.page);
			await own.page.goto(form);
			await arrives(own.page, "carol");
		});

		test("tells the administrator in the console that the issuer of a new provider is wrong", async () => {
			const { page } = await pages.openAs(ADMIN, "/console/providers");
			await page.getByRole("button", { name: "Add provider" }).click();
			const dialog = page.getByRole("dialog", { name: "Add provider" });
			const add = dialog.getByRole("button", { name: "Add provider" });
			await dialog.getByLabel("Kind").selectOption({ label: "OpenID Connect" });
			await dialog.getByLabel("Name on the button").fill("Slash");
			await dialog.getByLabel("Client ID").fill("latchkey");
			await dialog.getByLabel("Client secret", { exact: true }).fill("a secret");
			await dialog.getByLabel("Short name").fill("slash");
			const issuer = dialog.getByLabel("Issuer");
			await issuer.fill("https://127.0.0.1:9");
			await add.click();
			await dialog.getByText("cannot be reached: 127.0.0.1").first().waitFor();
			await dialog.getByLabel("Save although the provider cannot be reached").waitFor();
			await noAxeViolations(page);
			await issuer.fill(`${provider.issuer}/.well-known/openid-configuration`);
			await add.click();
			await dialog
				.getByText(`must be ${provider.issuer}, as the discovery document names it`)
				.first()
				.waitFor();
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Use this issuer" }).click();
			assert.equal(await issuer.inputValue(), provider.issuer);
			await add.click();
			await page.getByRole("heading", { level: 1, name: "Slash" }).waitFor();
			await page.getByLabel("Issuer").fill("https://127.0.0.1:9");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByLabel("Save although the provider cannot be reached").check();
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The provider was changed").waitFor();
		});

		test("tests a provider from the console, in both languages, without an account or a session of the trial", async () => {
			const { service } = pages;
			const body = { provider: "corp-trial", kind: "oidc", display_name: "Trial", issuer: provider.issuer };
			const wrong = { ...body, ...CLIENT, client_secret: "not the secret", enabled: false };
			const { id } = await service.asAdmin("POST", "/api/v1/identity-providers", wrong);
			const { page, context } = await pages.openAs(ADMIN, `/console/providers/${id}`);
			const trial = async () => {
				await page.getByRole("button", { name: "Test this provider" }).click();
				const opened = context.waitForEvent("page");
				await page.getByRole("link", { name: /^Sign in for the test/ }).click();
				return await opened;
			};
			const usersBefore = (await service.asAdmin("GET", "/api/v1/users?q=dora", undefined)) as unknown;
			const failed = await trial();
			await signInThere(failed, "dora");
			await failed.getByText("The trial sign-in failed").waitFor();
			await failed.getByText(/id and secret|invalid_client/).waitFor();
			assert.equal(failed.url(), `${PAGES_URL}/console/providers/${id}`);
			await noAxeViolations(failed);
			const path = `/api/v1/identity-providers/${id}` as const;
			await service.asAdmin("PATCH", path, { client_secret: CLIENT.client_secret });
			await page.reload();
			// The provider remembers who signed in.
			const passed = await trial();
			await passed.getByText("The last test passed").waitFor();
			await passed.getByText("The provider sent a verified email address.").waitFor();
			assert.deepEqual(await service.asAdmin("GET", "/api/v1/users?q=dora", undefined), usersBefore);
			await page.bringToFront();
			await page.evaluate("window.dispatchEvent(new Event('focus'))");
			await page.getByText("The last test passed").waitFor();
			await noAxeViolations(page);
			const chinese = await pages.openAs(ADMIN, `/console/providers/${id}`, { locale: "zh-CN" });
			await chinese.page.getByText("上次测试已通过").waitFor();
		});

		test("reports an unknown tenant", async () => {
			const { page } = await pages.open(`${SIGN_IN}&tenant=nowhere`);
			await page.getByText("The link that brought you here is not valid").waitFor();
			assert.equal(await page.getByLabel("Password", { exact: true }).count(), 0);
		});
	},
	() => ({ LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK }),
);

/** Another site, which posts the parameters of the URL in `to` to that URL as a form. */
async function startFormPoster() {
	const server: Server = createServer((request, response) => {
		const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
		if (!searchParams.has("to")) return void response.writeHead(404).end();
		const to = new URL(searchParams.get("to") ?? "");
		const fields = [...to.searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`);
		response.writeHead(200, { "content-type": "text/html" });
		response.end(
			`<form method="post" action="${to.origin}${to.pathname}">${fields.join("")}</form><script>document.forms[0].submit()</script>`,
		);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const close = (): void => {
		server.closeAllConnections();
		server.close();
	};
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
