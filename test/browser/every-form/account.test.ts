// Every form under `/account`: see `endures`.

import assert from "node:assert/strict";
import { addApplication, putGrant } from "../../harness/access/applications.ts";
import { addRequestable } from "../../harness/access/person-requests.ts";
import { describeForms, type FormCase, type FormStage } from "../../harness/browser/every-form.ts";
import { HOSTILE } from "../../harness/browser/hostile-data.ts";
import { fillByKeyboard, press } from "../../harness/browser/keyboard.ts";
import { PAGES_URL } from "../../harness/browser/pages.ts";
import { Authenticator } from "../../harness/people/authenticator.ts";
import { type Person, signInAgain } from "../../harness/people/people.ts";
import { enrollPasskey } from "../../harness/people/second-factors.ts";
import { addLinkedAccount } from "../../harness/providers/linked-accounts.ts";
import type { TestService } from "../../harness/service/service.ts";

const PASSWORD = "the long password of robin";
/** One digit short, because the page submits a complete code; the right one is in a mail or an app. */
const CODE = "12345";

/** Submits a form that opens another one. */
const through = (open: string, submit: string, values: Readonly<Record<string, string>>) => ({
	async begin({ page }: FormStage) {
		await press(page, open);
		await page.locator(`[name=${Object.keys(values).at(-1)}]`).waitFor();
		await fillByKeyboard(page, submit, { text: "", values });
		await page.keyboard.press("Enter");
		await page.locator("[name=code]").waitFor();
	},
});

/** Signs in again, because the earlier forms ended every session. */
async function signedInAgain(service: TestService, admin: Person | undefined): Promise<Person> {
	assert.ok(admin !== undefined, "the form needs a person");
	return { ...admin, token: await signInAgain(service, admin) };
}

const FORMS: readonly FormCase[] = [
	{
		source: "account/sessions.tsx",
		path: "/account/sessions",
		open: ["End all others"],
		submit: "End all others",
		sends: "POST /api/v1/users/me/sessions/revoke",
	},
	{
		source: "device/device-page.tsx",
		path: "/oauth/device",
		// Malformed, so that it does not count as a guess.
		values: { user_code: "AEIOU" },
		submit: "Continue",
		sends: "POST /api/v1/auth/device-codes/preview",
		status: 404,
	},
	{
		source: "program/ask-form.tsx",
		path: "/account",
		async begin({ page, service }) {
			const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
			await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { program_requests: true });
			const query = new URLSearchParams({
				client_id: "https://agent.example/client.json",
				redirect_uri: "http://127.0.0.1/callback",
			});
			await page.goto(`${PAGES_URL}/oauth/authorize?${query}`);
			await page.locator("[name=reason]").waitFor();
		},
		submit: "Request access",
		sends: "POST /api/v1/auth/programs/requests/{id}/ask",
		// The document cannot be read.
		status: 400,
	},
	{
		isSample: true,
		source: "account/endable-card.tsx",
		path: "/account/access",
		open: [/^Withdraw/],
		submit: "Withdraw",
		sends: "DELETE /api/v1/users/me/consents/{id}",
	},
	{
		source: "account/access.tsx",
		path: "/account/access",
		async begin({ page, service, admin }) {
			const { id } = await addApplication(service, { name: HOSTILE });
			await putGrant(service, id, admin?.id ?? "");
			await page.reload();
		},
		open: [/^Give back/],
		submit: "Give back",
		sends: "DELETE /api/v1/users/me/grants/{id}",
	},
	{
		isSample: true,
		source: "account/requests/request-dialog.tsx",
		path: "/account",
		async begin({ service }) {
			await addRequestable(service, { roles: ["reader"] }, { name: HOSTILE });
		},
		open: [/^Request access/],
		values: { reason: `${HOSTILE} to close the books` },
		submit: "Send request",
		sends: "POST /api/v1/users/me/requests",
	},
	{
		isSample: true,
		source: "account/profile-card.tsx",
		path: "/account",
		values: { display_name: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/users/me",
	},
	{
		source: "account/request-mails-card.tsx",
		path: "/account",
		values: { frequency: "hourly" },
		submit: "Save choice",
		sends: "PUT /api/v1/users/me/request-mails",
	},
	{
		source: "account/email-dialog.tsx",
		path: "/account",
		open: ["Change"],
		ready: "[name=current_password]",
		values: { email: "other@people.example", current_password: PASSWORD },
		submit: "Send code",
		sends: "POST /api/v1/users/me/email",
	},
	{
		source: "account/email-dialog.tsx",
		path: "/account",
		...through("Change", "Send code", { email: "third@people.example", current_password: PASSWORD }),
		values: { code: CODE },
		submit: "Change",
		sends: "POST /api/v1/users/me/email/confirm",
		status: 400,
	},
	{
		isSample: true,
		source: "account/owner-dialog.tsx",
		path: "/account/security",
		open: ["Set up"],
		ready: "[name=password]",
		values: { password: PASSWORD },
		submit: "Continue",
		sends: "POST /api/v1/users/me/mfa/totp",
	},
	{
		source: "account/verification-card.tsx",
		path: "/account/security",
		...through("Set up", "Continue", { password: PASSWORD }),
		values: { code: CODE },
		submit: "Confirm",
		sends: "POST /api/v1/users/me/mfa/totp/confirm",
		status: 400,
	},
	{
		source: "account/passkeys-card.tsx",
		path: "/account/security",
		open: ["Add a passkey"],
		ready: "[name=password]",
		values: { name: HOSTILE, password: PASSWORD },
		submit: "Continue",
		sends: "POST /api/v1/users/me/mfa/passkeys",
	},
	{
		source: "account/linked-accounts-card.tsx",
		path: "/account/security",
		async begin({ page, admin, service }) {
			await addLinkedAccount(service, await signedInAgain(service, admin), "github");
			await page.reload();
		},
		open: [/^Unlink/],
		submit: "Unlink",
		sends: "DELETE /api/v1/users/me/third-party-accounts/{id}",
	},
	// From here on a sign-in needs a second factor.
	{
		source: "account/passkey-list.tsx",
		path: "/account/security",
		async begin({ page, admin, service, recoveryCodes }) {
			const person = await signedInAgain(service, admin);
			recoveryCodes.push(
				...(await enrollPasskey(service, person, new Authenticator(PAGES_URL))).recoveryCodes,
			);
			await page.reload();
		},
		open: ["Actions for Key of robin", "Rename"],
		values: { name: HOSTILE },
		submit: "Save",
		sends: "PATCH /api/v1/users/me/mfa/passkeys/{id}",
	},
	// Last, because the other forms use the first password.
	{
		source: "account/password-card.tsx",
		path: "/account/security",
		open: ["Change password"],
		ready: "[name=current_password]",
		values: { current_password: PASSWORD, new_password: "another long password of robin" },
		submit: "Change password",
		sends: "PUT /api/v1/users/me/password",
	},
];

describeForms("every form of the account", FORMS);
