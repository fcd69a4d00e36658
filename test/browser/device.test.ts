// The page that signs a user in on a device; openid-client is the device.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as client from "openid-client";
import type { Page } from "playwright-core";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	enterPassword,
	fitsEveryWidth,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
} from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { relyingParty } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { nextCode } from "../harness/people/second-factors.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";

const NAME = '<img src=x onerror="alert(1)"> \u05d0\u05d1 Orders';
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const PAGE = `${PAGES_URL}/oauth/device`;

describePages("the page of a device", (pages) => {
	let tv: client.Configuration;
	const ada = fixture(() => addPerson(pages.service, "ada"));
	setup(async () => {
		tv = await connectDevice();
	});

	async function connectDevice(application: object = {}, settings: object = {}) {
		const { id } = await addApplication(pages.service, { name: NAME, access_policy: "open", ...application });
		await putOAuthClient(pages.service, { type: "native", device_flow: true, ...settings }, id);
		return await relyingParty(pages.service, { id, secret: "" }, client.None(), {}, PAGES_URL);
	}
	const begin = (by = tv) => client.initiateDeviceAuthorization(by, { scope: "openid profile email" });
	const poll = (device_code: string, by = tv) => client.genericGrantRequest(by, GRANT, { device_code });
	const enter = async (page: Page, code: string): Promise<void> => {
		await page.getByLabel("Code").fill(code);
		await page.keyboard.press("Enter");
	};
	const question = (page: Page) => page.getByRole("heading", { name: "Sign in on your device?" }).waitFor();

	test("asks for a sign-in and the code, warns about other people's devices, and signs in on the device", async () => {
		const { user_code, device_code, verification_uri } = await begin();
		assert.equal(verification_uri, PAGE);
		const { page, noTroubles } = await pages.open();
		await page.goto(PAGE);
		await enterPassword(page, ada);
		await page.getByRole("heading", { name: "Connect a device" }).waitFor();
		await page.locator("[name=user_code]:focus").waitFor();
		await assertAccessible(page);
		await page.keyboard.press("Enter");
		await page.getByText("Enter the code shown on the device.").nth(1).waitFor();
		await page.keyboard.type(user_code.toLowerCase().replace("-", " "));
		await page.keyboard.press("Enter");
		await question(page);
		await page.getByText(user_code, { exact: true }).waitFor();
		await page.getByText("Is this your device?").waitFor();
		await page.getByText(/^You're signed in as .*ada/).waitFor();
		const listed = await page
			.getByRole("list", { name: "It will receive" })
			.getByRole("listitem")
			.allTextContents();
		assert.equal(listed.length, 3);
		assert.equal(await page.locator("img").count(), 0);
		await assertAccessible(page);
		await assert.rejects(poll(device_code), { error: "authorization_pending" });
		await tabAndPress(page, "Allow");
		await page.getByRole("heading", { name: "Continue on your device" }).waitFor();
		await noAxeViolations(page);
		assert.equal((await poll(device_code)).claims()?.sub, ada.id);
		noTroubles();
	});

	test("fills in the code from the URL, and allows nothing until the user confirms", async () => {
		const { user_code, device_code, verification_uri_complete = "" } = await begin();
		const { page } = await pages.openAs(ada);
		await page.goto(verification_uri_complete);
		const code = page.getByLabel("Code");
		await code.waitFor();
		assert.equal(await code.inputValue(), user_code);
		await assert.rejects(poll(device_code), { error: "authorization_pending" });
		await page.getByRole("button", { name: "Continue" }).click();
		await question(page);
		await page.reload();
		assert.equal(await code.inputValue(), user_code);
		await page.keyboard.press("Enter");
		await question(page);
		await tabAndPress(page, "Refuse");
		await page.getByRole("heading", { name: "Refused" }).waitFor();
		await noAxeViolations(page);
		await assert.rejects(poll(device_code), { error: "access_denied" });
	});

	test("reports a wrong code at the field, and a code that was decided in the meantime", async () => {
		const { user_code, device_code } = await begin();
		const { page } = await pages.openAs(ada, "/oauth/device");
		await enter(page, "BBBB-BBBB");
		await page
			.getByText(/^This code is wrong, was already used or has expired/)
			.first()
			.waitFor();
		assert.equal(await page.getByLabel("Code").getAttribute("aria-invalid"), "true");
		await noAxeViolations(page);
		await enter(page, user_code);
		await question(page);
		const path = "/api/v1/auth/device-codes/deny";
		await pages.service.call("POST", path, { token: ada.token, body: { user_code } });
		await page.getByRole("button", { name: "Allow" }).click();
		await page.getByRole("button", { name: "Enter another code" }).click();
		await page.getByRole("heading", { name: "Connect a device" }).waitFor();
		await assert.rejects(poll(device_code), { error: "access_denied" });
	});

	test("reports that the user has no access to the application", async () => {
		const strict = await connectDevice({ access_policy: "assigned" });
		const { page } = await pages.openAs(ada);
		await page.goto((await begin(strict)).verification_uri_complete ?? "");
		await page.getByRole("button", { name: "Continue" }).click();
		await question(page);
		await page.getByRole("button", { name: "Allow" }).click();
		await page.getByRole("button", { name: "Use another account" }).waitFor();
		await noAxeViolations(page);
	});

	test("enrolls a second factor that the application requires, and continues", async () => {
		const eve = await addPerson(pages.service, "eve");
		const strict = await connectDevice({ require_mfa: true });
		const { device_code, verification_uri_complete = "" } = await begin(strict);
		const { page } = await pages.openAs(eve);
		await page.goto(verification_uri_complete);
		await page.getByRole("button", { name: "Continue" }).click();
		await question(page);
		await page.getByRole("button", { name: "Allow" }).click();
		await page.getByRole("button", { name: /^Authenticator app/ }).click();
		await page.getByRole("img", { name: /^QR code/ }).waitFor();
		const secret = (await page.locator(".lk-copy__value").textContent())?.replaceAll(" ", "") ?? "";
		await page.getByLabel("Code from the app").fill(nextCode(pages.service, secret));
		await page.getByRole("button", { name: "I have saved them" }).click();
		await page.getByRole("heading", { name: "Continue on your device" }).waitFor();
		const tokens = await poll(device_code, strict);
		assert.equal(tokens.claims()?.sub, eve.id);
		assert.ok([tokens.claims()?.amr].flat().includes("otp"));
	});

	test("cannot be framed, and speaks Chinese", async () => {
		const response = await pages.service.call("GET", "/oauth/device", { https: true });
		assert.match(String(response.headers["content-security-policy"]), /frame-ancestors 'none'/);
		const { user_code } = await begin();
		const { page } = await pages.openAs(ada, `/oauth/device?user_code=${user_code}`, {
			locale: "zh-CN",
		});
		await page.getByRole("button", { name: "继续" }).click();
		await page.getByText("这是您自己的设备吗？").waitFor();
		await fitsEveryWidth(page);
	});
});
