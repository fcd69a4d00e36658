// Second factors on the sign-in page: required enrollment and passkeys.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { WITHOUT_NEWER_APIS } from "../harness/browser/oldest-browser.ts";
import { assertAccessible, enterPassword, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { addVirtualAuthenticator } from "../harness/browser/virtual-authenticator.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { enrollTotp, nextCode, type PersonWithTotp } from "../harness/people/second-factors.ts";

const TARGET = "/sign-in?return_to=%2Fdocs%3Fq%3D1";

describePages("second factors at /sign-in", (pages) => {
	let cleo: PersonWithTotp;
	before(async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const { data } = (await service.call("GET", "/api/v1/users/me", { token })).body;
		const body = { require_mfa: true };
		cleo = await enrollTotp(service, await addPerson(service, "cleo"));
		await addPerson(service, "ada");
		await addPerson(service, "bob");
		const changed = await service.call("PATCH", `/api/v1/tenants/${data.tenant_id}`, { token, body });
		assert.equal(changed.status, 200, JSON.stringify(changed.body));
	});

	const enter = (page: Page, username: string) =>
		enterPassword(page, { username, password: `the long password of ${username}` });
	const arrives = (page: Page) => page.waitForURL(`${PAGES_URL}/docs?q=1`);

	test("enrolls an authenticator app by keyboard, and shows recovery codes once", async () => {
		const { page, noTroubles } = await pages.open(TARGET);
		await enter(page, "bob");
		await page.getByRole("heading", { name: "Protect your account" }).waitFor();
		await assertAccessible(page);
		await tabAndPress(page, /^Authenticator app/);
		await page.getByRole("img", { name: /^QR code/ }).waitFor();
		await assertAccessible(page);
		const secret = (await page.locator(".lk-copy__value").textContent())?.replaceAll(" ", "") ?? "";
		assert.match(
			(await page.getByRole("link", { name: /Open the app/ }).getAttribute("href")) ?? "",
			/^otpauth:/,
		);
		await page.getByLabel("Code from the app").focus();
		await page.keyboard.type("000000");
		await page.getByText("The code is wrong.").waitFor();
		await page.keyboard.type(nextCode(pages.service, secret));
		await page.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
		assert.equal(
			await page.getByRole("list", { name: "Save your recovery codes" }).locator("li").count(),
			10,
		);
		await assertAccessible(page);
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Save as file" }).click();
		assert.equal((await saved).suggestedFilename(), "recovery-codes.txt");
		await tabAndPress(page, "I have saved them");
		await arrives(page);
		noTroubles(/ 400 /);
	});

	test("says who can help without a factor, and notifies the administrators once they allow it", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const { tenant_id } = (await service.call("GET", "/api/v1/users/me", { token })).body.data;
		await service.asAdmin("PUT", "/api/v1/branding", { support_email: "help@example.org" });
		const { page, noTroubles } = await pages.open(TARGET);
		const openHelp = async () => {
			await enter(page, "cleo");
			await page.getByText("Can't use any of these?").click();
			await page.getByRole("link", { name: "help@example.org" }).waitFor();
		};
		const notify = page.getByRole("button", { name: "Notify the administrators" });
		await openHelp();
		assert.equal(await notify.count(), 0);
		await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { second_factor_help: true });
		await page.reload();
		await openHelp();
		await assertAccessible(page);
		await notify.click();
		await page.getByText("the administrators get an email now").waitFor();
		await assertAccessible(page);
		const events = await auditOf(service, `user:${cleo.id}`);
		assert.deepEqual(events.at(-1)?.details, { mailed: true });
		noTroubles();
	});

	test("enrolls a passkey that works as the second factor and signs in alone, in old browsers too", async () => {
		const { page, context, noTroubles } = await pages.open();
		await context.addInitScript(WITHOUT_NEWER_APIS);
		const { cdp, authenticatorId } = await addVirtualAuthenticator(page);
		await page.goto(`${PAGES_URL}${TARGET}`);
		await enter(page, "ada");
		await page.getByRole("button", { name: /^Passkey/ }).click();
		await page.getByLabel("Passkey name").fill("Ada's key \u05d0\u05d1 <b>");
		await page.getByRole("button", { name: "Add passkey" }).click();
		await page.getByRole("button", { name: "I have saved them" }).click();
		await arrives(page);

		// Without a touch, the autofill of the username field does not use the passkey.
		const touch = (enabled: boolean) =>
			cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
		await touch(false);
		await forgetSession(page);
		await page.goto(`${PAGES_URL}${TARGET}`);
		await enter(page, "ada");
		const use = page.getByRole("button", { name: "Use your passkey" });
		await use.waitFor();
		await touch(true);
		await use.click();
		await arrives(page);

		// Chosen from the autofill suggestions.
		await forgetSession(page);
		await page.goto(`${PAGES_URL}${TARGET}`, { waitUntil: "commit" });
		await arrives(page);
		noTroubles();
	});
});

/** Leaves the page first: a pending response would set the cookie again. */
async function forgetSession(page: Page): Promise<void> {
	await page.waitForLoadState("networkidle");
	await page.goto("about:blank");
	await page.context().clearCookies();
}
