// The offer of a passkey after a sign-in with a password.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, enterPassword, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { addVirtualAuthenticator } from "../harness/browser/virtual-authenticator.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { enrollTotp, nextCode } from "../harness/people/second-factors.ts";
import { fixture } from "../harness/runs/fixture.ts";

type Json = Record<string, unknown>;

const TARGET = "/sign-in?return_to=%2Fdocs%3Fq%3D1";
const BACK = `${PAGES_URL}/docs`;
const OFFER = { name: "Sign in faster with a passkey" };

/** A browser that creates no passkey without a question. */
/** Pages over plain HTTP have no passkeys. */
const ASKS =
	"if (globalThis.PublicKeyCredential) PublicKeyCredential.getClientCapabilities = async () => ({});";

/** Headless Chromium has no password manager that decides: only its decision is replaced, and signals are kept. */
const CONDITIONAL = `
	PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
	const create = navigator.credentials.create.bind(navigator.credentials);
	navigator.credentials.create = async ({ mediation, ...options }) => {
		if (mediation !== "conditional") throw new Error("a question");
		sessionStorage.setItem("created-on", location.pathname);
		return await create(options);
	};
	const keep = (name) => async (signal) => {
		document.documentElement.dataset[name] = JSON.stringify(signal);
	};
	PublicKeyCredential.signalAllAcceptedCredentials = keep("accepted");
	PublicKeyCredential.signalCurrentUserDetails = keep("details");
`;

describePages("the offer of a passkey at /sign-in", (pages) => {
	const ada = fixture(() => addPerson(pages.service, "ada"));
	const bob = fixture(() => addPerson(pages.service, "bob"));

	const arrives = (page: Page) => page.waitForURL(`${PAGES_URL}/docs?q=1`);
	const open = async (path: string, locale = "en") => {
		const opened = await pages.open(undefined, { locale });
		await opened.page.addInitScript(ASKS);
		await addVirtualAuthenticator(opened.page, { automaticPresenceSimulation: false });
		await opened.page.goto(`${PAGES_URL}${path}`);
		return opened;
	};
	/** The page that created a passkey without a question, and what the tab still keeps. */
	const ofTab = (page: Page) =>
		page.evaluate(`["created-on", "latchkey.passkey"].map((key) => sessionStorage.getItem(key))`);
	const signOut = async (page: Page) => {
		await page.waitForLoadState("networkidle");
		await page.goto("about:blank");
		await page.context().clearCookies();
		await page.goto(`${PAGES_URL}${TARGET}`);
	};

	test("takes one click to decline in an OpenID flow, and is not repeated for this user in this browser", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [BACK] });
		const { client_secret: secret = "" } = await putOAuthClient(service, { first_party: true }, id);
		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const { url } = await startAuthorization(party, { redirect_uri: BACK });
		const { page, noTroubles } = await open(url.pathname + url.search);
		await enterPassword(page, ada);
		await page.getByRole("heading", OFFER).waitFor();
		await page.getByText("your password alone won't be enough to sign in").waitFor();
		await assertAccessible(page);
		await tabAndPress(page, "Not now");
		await page.waitForURL(`${BACK}?*code=*`, { waitUntil: "commit" });

		await signOut(page);
		await enterPassword(page, ada);
		await arrives(page);
		await signOut(page);
		await enterPassword(page, bob);
		await page.getByRole("heading", OFFER).waitFor();
		noTroubles();
	});

	test("creates a passkey without the password again, shows recovery codes, and then signs in alone", async () => {
		const { page, noTroubles } = await pages.open();
		await page.addInitScript(ASKS);
		const { cdp, authenticatorId } = await addVirtualAuthenticator(page, {
			automaticPresenceSimulation: false,
		});
		const touch = (enabled: boolean) =>
			cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
		await page.goto(`${PAGES_URL}${TARGET}`);
		await enterPassword(page, bob);
		await page.getByRole("heading", OFFER).waitFor();
		await touch(true);
		await page.getByRole("button", { name: "Create passkey" }).click();
		await page.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
		await page.getByRole("button", { name: "I have saved them" }).click();
		await arrives(page);
		await signOut(page);
		await arrives(page);
		noTroubles();
	});

	test("appears in Chinese after a second factor, without mentioning the password", async () => {
		const chris = await addPerson(pages.service, "chris");
		const { secret } = await enrollTotp(pages.service, chris);
		const { page } = await open(TARGET, "zh-CN");
		await enterPassword(page, chris);
		await page.locator("[name=code]").fill(nextCode(pages.service, secret));
		await page.getByRole("heading", { name: "使用通行密钥，登录更快" }).waitFor();
		assert.equal(await page.getByText("此后仅凭密码无法登录").count(), 0);
		await page.getByRole("button", { name: "暂不" }).click();
		await arrives(page);
	});

	test("gives way to a passkey without a question where the browser can create one", async () => {
		const dan = await addPerson(pages.service, "dan");
		const { page, noTroubles } = await pages.open();
		const { cdp, authenticatorId } = await addVirtualAuthenticator(page);
		await page.addInitScript(CONDITIONAL);
		const signalled = async (name: "accepted" | "details", isDue: (found: Json) => boolean) => {
			for (;;) {
				const text = await page.locator("html").getAttribute(`data-${name}`);
				const found = JSON.parse(text ?? "{}") as Json;
				if (isDue(found)) return found;
				await page.waitForTimeout(50);
			}
		};
		const confirmed = page.waitForResponse(/passkeys\/confirm$/);
		await page.goto(`${PAGES_URL}/sign-in?return_to=%2Faccount%2Fsecurity`);
		await enterPassword(page, dan);
		assert.equal((await confirmed).status(), 201);
		assert.deepEqual(await ofTab(page), ["/account/security", null]);
		await page.reload();
		await page.getByText("Created by the browser").waitFor();
		await assertAccessible(page);
		const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
		assert.equal(credentials.length, 1);
		const known = await signalled("accepted", ({ rpId }) => rpId !== undefined);
		assert.equal((known.allAcceptedCredentialIds as string[]).length, 1);

		await page.getByRole("button", { name: "Actions for My passkey" }).click();
		await page.getByRole("menuitem", { name: "Remove" }).click();
		await page.getByRole("dialog").getByLabel("Your password").fill(dan.password);
		await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
		await signalled("accepted", ({ allAcceptedCredentialIds: ids }) => (ids as string[]).length === 0);

		await page.getByRole("link", { name: "Profile" }).click();
		await page.getByLabel("Name", { exact: true }).fill("Dan D.");
		await page.getByRole("button", { name: "Save" }).click();
		const details = await signalled("details", ({ displayName }) => displayName === "Dan D.");
		assert.deepEqual([details.name, details.userId], ["dan", known.userId]);
		noTroubles();
		// The browser tries once: the next sign-in offers one.
		assert.equal(await page.evaluate(`localStorage.getItem("latchkey.passkey-tried.${dan.id}")`), "1");
	});

	test("gives way to a passkey in the background where the sign-in leads elsewhere", async () => {
		const eve = await addPerson(pages.service, "eve");
		const { page, noTroubles } = await pages.open();
		await addVirtualAuthenticator(page);
		await page.addInitScript(CONDITIONAL);
		// The next page commits after the passkey, as a page of another site usually does.
		const confirmed = page.waitForResponse(/passkeys\/confirm$/);
		await page.route("**/docs?q=1", async (route) => {
			await confirmed;
			await route.continue();
		});
		await page.goto(`${PAGES_URL}${TARGET}`);
		await enterPassword(page, eve);
		assert.equal((await confirmed).status(), 201);
		await arrives(page);
		assert.deepEqual(await ofTab(page), ["/sign-in", null]);
		noTroubles();
	});

	test("leaves no passkey of another user, or of options that are no longer valid", async () => {
		const fay = await addPerson(pages.service, "fay");
		const started = await pages.service.call("POST", "/api/v1/users/me/mfa/passkeys", {
			token: fay.token,
			body: { password: fay.password, automatic: true },
		});
		const { options } = started.body.data;
		const { page, noTroubles } = await pages.openAs(fay);
		await addVirtualAuthenticator(page);
		await page.addInitScript(CONDITIONAL);
		const later = Date.now() + 60_000;
		for (const [userId, untilMs, created] of [
			[ada.id, later, null],
			[fay.id, Date.now() - 1, null],
			[fay.id, later, "/account"],
		]) {
			const pending = JSON.stringify({ userId, untilMs, options, name: "My passkey" });
			await page.goto(`${PAGES_URL}/docs`);
			await page.evaluate(`sessionStorage.setItem("latchkey.passkey", ${JSON.stringify(pending)})`);
			await page.goto(`${PAGES_URL}/account`, { waitUntil: "networkidle" });
			assert.deepEqual(await ofTab(page), [created, null]);
		}
		noTroubles();
	});

	test("does not appear on a device without user verification", async () => {
		const { page, requests } = await pages.open();
		await page.addInitScript(ASKS);
		await page.goto(`${PAGES_URL}${TARGET}`);
		await enterPassword(page, ada);
		await arrives(page);
		assert.deepEqual(
			requests.filter((request) => request.includes("/users/me/mfa")),
			[],
		);
	});
});
