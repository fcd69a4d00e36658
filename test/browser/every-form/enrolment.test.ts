// The forms that enroll a required second factor at sign-in: see `endures`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BROWSER_SKIPPED } from "../../harness/browser/browser.ts";
import { enduresEach, type FormCase, type FormStage, openStage } from "../../harness/browser/every-form.ts";
import { HOSTILE } from "../../harness/browser/hostile-data.ts";
import { press } from "../../harness/browser/keyboard.ts";
import { enterPassword, noAxeViolations, PAGES_URL } from "../../harness/browser/pages.ts";
import { requireMfa } from "../../harness/people/second-factors.ts";
import { fixture, setup } from "../../harness/runs/fixture.ts";

/** One digit short, because the page submits a complete code. */
const CODE = "12345";

/** Signs in and chooses a kind of factor. */
const chooseFactor = (way: RegExp) => ({
	path: "/sign-in",
	async begin({ page }: FormStage) {
		await enterPassword(page, { username: "layla", password: "the long password of layla" });
		await press(page, way);
	},
});

const FORMS: readonly FormCase[] = [
	{
		isSample: true,
		source: "sign-in/enrol-app.tsx",
		...chooseFactor(/^Authenticator app/),
		ready: "[name=code]",
		values: { code: CODE },
		submit: "Confirm",
		sends: "POST /api/v1/auth/mfa/totp/confirm",
		status: 400,
	},
	{
		source: "sign-in/enrol-passkey.tsx",
		...chooseFactor(/^Passkey/),
		ready: "[name=name]",
		values: { name: HOSTILE },
		submit: "Add passkey",
		sends: "POST /api/v1/auth/mfa/passkeys",
	},
];

describe("every form of an enrollment at sign-in", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	const stage = fixture(() => openStage({ isSignedIn: false }), Symbol.asyncDispose);
	setup(async () => {
		await requireMfa(stage.service, true, await stage.service.adminToken());
	});
	enduresEach(FORMS, () => stage);

	test("the key of an authenticator app is requested again after 503", async () => {
		const { page, context } = stage;
		const address = `${PAGES_URL}/api/v1/auth/mfa/totp`;
		await context.route(address, (route) =>
			route.fulfill({
				status: 503,
				headers: { "retry-after": "5", "content-type": "application/problem+json" },
				body: JSON.stringify({ code: "service.busy", detail: "the service is busy" }),
			}),
		);
		await page.goto(`${PAGES_URL}/sign-in`);
		await chooseFactor(/^Authenticator app/).begin(stage);
		const again = page.getByRole("button", { name: /^Try again/ });
		await again.waitFor();
		assert.equal(await again.isDisabled(), true);
		await noAxeViolations(page, ["light"]);
		await context.unroute(address);
		await page.clock.fastForward(5_000);
		await press(page, "Try again");
		await page.getByRole("img", { name: /^QR code/ }).waitFor();
	});
});
