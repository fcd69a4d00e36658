// Sign-in methods: password, passkeys, authenticator app, recovery codes, and linked accounts.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { totpCode } from "../../src/crypto/totp.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
	tabTo,
} from "../harness/browser/pages.ts";
import { addVirtualAuthenticator } from "../harness/browser/virtual-authenticator.ts";
import { addPerson, isAlive, type Person, removePassword, signInAgain } from "../harness/people/people.ts";
import { startOidcProvider } from "../harness/providers/oidc-provider.ts";
import { PROVIDER_NETWORK, THIRD_PARTY } from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";

const PATH = "/account/security";
const HOSTILE = "<img src=x onerror=alert(1)> ليلى";
const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };

describePages(
	"/account/security",
	(pages) => {
		const provider = fixture(async () => {
			const redirect_uris = [`${PAGES_URL}${THIRD_PARTY}/corp/callback`];
			const users = [{ sub: "elsewhere", email: "elsewhere@provider.example", email_verified: true }];
			return await startOidcProvider({ clients: [{ ...CLIENT, redirect_uris }], users });
		}, "close");

		const message = (page: Page, text: string) => page.locator(".lk-status-line").getByText(text).waitFor();
		const password = (page: Page) => page.getByRole("dialog").getByLabel("Your password", { exact: true });
		const factorsOf = async ({ token }: Person) =>
			(await pages.service.call("GET", "/api/v1/users/me/mfa", { token })).body.data;
		/** Confirms that the recovery codes are saved. @returns how many the dialog showed */
		const keepCodes = async (page: Page): Promise<number> => {
			const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
			const count = await dialog
				.getByRole("list", { name: "Save your recovery codes" })
				.getByRole("listitem")
				.count();
			await page.keyboard.press("Escape");
			await dialog.getByRole("button", { name: "I have saved them" }).click();
			await dialog.waitFor({ state: "detached" });
			return count;
		};

		test("changes the password by keyboard, rejects a wrong current password, and ends the other sessions", async () => {
			const ada = await addPerson(pages.service, "ada");
			const other = await signInAgain(pages.service, ada);
			const { page } = await pages.openAs(ada, PATH);
			await page.getByRole("button", { name: "Change password" }).waitFor();
			await tabAndPress(page, "Change password");
			await page.locator("input[type=password]:focus").waitFor();
			await page.keyboard.type("not this one");
			await tabTo(page, "New password", 2);
			await page.keyboard.type("another long password of ada");
			await page.keyboard.press("Enter");
			await page
				.getByRole("dialog")
				.getByText(/is incorrect/i)
				.waitFor();
			await noAxeViolations(page);
			await page.keyboard.press("Control+A");
			await page.keyboard.type(ada.password);
			await page.keyboard.press("Enter");
			await message(page, "Your password was changed. 2 other sessions ended.");
			assert.equal(await isAlive(pages.service, other), false);
			await pages.service.tokenOf("ada", "another long password of ada");
		});

		test("sets up an authenticator app, generates new recovery codes, and removes the app", async () => {
			const bea = await addPerson(pages.service, "bea");
			const { page, noTroubles } = await pages.openAs(bea, PATH);
			await page.getByRole("button", { name: "Set up" }).click();
			await password(page).fill(bea.password);
			await page.keyboard.press("Enter");
			const dialog = page.getByRole("dialog", { name: "Set up an authenticator app" });
			await dialog.getByRole("img", { name: /^QR code/ }).waitFor();
			await assertAccessible(page);
			const key = ((await dialog.locator("code").textContent()) ?? "").replaceAll(/\s/g, "");
			await page.keyboard.type(totpCode(key, pages.service.clock.now()));
			await page.getByRole("dialog", { name: "Save your recovery codes" }).waitFor();
			await assertAccessible(page);
			assert.equal(await keepCodes(page), 10);
			await page.getByText("10 left").waitFor();
			await page.getByRole("button", { name: "New codes" }).click();
			await password(page).fill(bea.password);
			await page.keyboard.press("Enter");
			await page.getByRole("dialog", { name: "Save your recovery codes" }).waitFor();
			assert.equal(await keepCodes(page), 10);
			assert.deepEqual((await factorsOf(bea)).totp, true);
			await page.getByRole("button", { name: "Actions for Authenticator app" }).click();
			await page.getByRole("menuitem", { name: "Remove" }).click();
			await password(page).fill(bea.password);
			await page.keyboard.press("Enter");
			await message(page, "The authenticator app was removed.");
			await page.getByRole("button", { name: "Set up" }).waitFor();
			assert.equal((await factorsOf(bea)).mfa_enabled, false);
			noTroubles();
		});

		test("adds, renames, and removes a passkey", async () => {
			const carl = await addPerson(pages.service, "carl");
			const { page, noTroubles } = await pages.openAs(carl, PATH);
			await addVirtualAuthenticator(page);
			await page.getByRole("button", { name: "Add a passkey" }).click();
			await page.getByLabel("Passkey name").fill(HOSTILE);
			await password(page).fill(carl.password);
			await page.keyboard.press("Enter");
			await page.getByRole("dialog", { name: "Save your recovery codes" }).waitFor();
			assert.equal(await keepCodes(page), 10);
			await page.getByRole("list", { name: "Passkeys" }).getByText(HOSTILE).waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: `Actions for \u2068${HOSTILE}\u2069` }).click();
			await page.getByRole("menuitem", { name: "Rename" }).click();
			await page.getByLabel("Passkey name").fill("Laptop");
			await page.keyboard.press("Enter");
			await message(page, "The passkey was renamed.");
			await page.getByRole("button", { name: "Actions for Laptop" }).click();
			await page.getByRole("menuitem", { name: "Remove" }).click();
			await password(page).fill(carl.password);
			await page.keyboard.press("Enter");
			await message(page, "The passkey was removed.");
			assert.equal((await factorsOf(carl)).passkeys, 0);
			noTroubles();
		});

		test("asks a user without a password for a recent sign-in, and mails a link to set a password", async () => {
			const dora = await addPerson(pages.service, "dora");
			const { page } = await pages.openAs(dora);
			await removePassword(pages.service, dora.id);
			await page.goto(`${PAGES_URL}${PATH}`);
			await page.getByRole("button", { name: "Email me a link" }).click();
			await message(page, `We sent a link to set a password to ${dora.email}.`);
			await page.getByRole("button", { name: "Set up" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByText("Your account has no password.").waitFor();
			pages.service.clock.advance(6 * 60_000);
			await dialog.getByRole("button", { name: "Continue" }).click();
			await dialog.getByText("your sign-in is more than five minutes old").waitFor();
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Sign out and sign in again" }).click();
			await page.waitForURL(`${PAGES_URL}/sign-in?return_to=/account/security`);
		});

		test("links and unlinks an account at a provider", async () => {
			const { service } = pages;
			const finn = await addPerson(service, "finn");
			const body = {
				provider: "corp",
				kind: "oidc",
				display_name: `Corp ${HOSTILE}`,
				issuer: provider.issuer,
			};
			const token = await service.adminToken();
			await service.call("POST", "/api/v1/identity-providers", { token, body: { ...body, ...CLIENT } });
			const { page, troubles } = await pages.openAs(finn, PATH);
			const link = async (sub: string | undefined) => {
				await page.getByRole("button", { name: /^Link Corp/ }).click();
				await password(page).fill(finn.password);
				await page.keyboard.press("Enter");
				if (sub === undefined) return;
				await page.getByLabel("Subject").fill(sub);
				await page.getByRole("button", { name: "Sign in" }).click();
			};
			await link("elsewhere");
			await message(page, "The account was linked.");
			assert.equal(page.url(), `${PAGES_URL}${PATH}`);
			await page.getByText("Linked", { exact: true }).waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: /^Unlink Corp/ }).click();
			await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
			await message(page, `\u2068Corp ${HOSTILE}\u2069 was unlinked.`);
			await page.goto(`${PAGES_URL}/account#error=link_taken`);
			await page.getByText("that account is already linked to a user").waitFor();
			assert.equal(page.url(), `${PAGES_URL}${PATH}`);
			// The provider has no icon for its page.
			const serious = troubles.filter((trouble) => !trouble.startsWith("Failed to load resource"));
			assert.deepEqual(serious, []);
		});
	},
	() => ({ LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK }),
);
