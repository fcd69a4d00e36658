// Every form for visitors without a session: sign-in, registration, mailed links, and the portal. See `endures`.

import { mailedToken, submitApproved } from "../../harness/access/access-requests.ts";
import { newKey } from "../../harness/access/partner-keys.ts";
import { addReview, runReviewJob } from "../../harness/access/reviews.ts";
import { describeForms, type FormCase, type FormStage } from "../../harness/browser/every-form.ts";
import { enterPassword, PAGES_URL } from "../../harness/browser/pages.ts";
import { addVirtualAuthenticator } from "../../harness/browser/virtual-authenticator.ts";
import { addPerson } from "../../harness/people/people.ts";
import { mailedCode } from "../../harness/people/registration.ts";
import { enrollTotp } from "../../harness/people/second-factors.ts";

const NEW_PASSWORD = "a brand new password";
/** One digit short, because the page submits a complete code. */
const CODE = "12345";
/** A well-formed token that was never issued. */
const LINK = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

const askForCode = async ({ page, service }: FormStage): Promise<void> => {
	const { body } = await service.call("GET", "/api/v1/auth/methods");
	await service.asAdmin("PATCH", `/api/v1/tenants/${body.data.tenant.id}`, { mailed_code: true });
	await page.reload();
	await page.getByRole("button", { name: "Email me a code" }).click();
	await page.locator("[name=email]").waitFor();
};

const FORMS: readonly FormCase[] = [
	{
		isSample: true,
		source: "sign-in/start-step.tsx",
		path: "/sign-in",
		values: { password: "not this one" },
		submit: "Sign in",
		sends: "POST /api/v1/auth/login",
		status: 401,
	},
	{
		source: "sign-in/second-factor-step.tsx",
		path: "/sign-in",
		async begin({ page, service }) {
			const carol = await addPerson(service, "carol");
			await enrollTotp(service, carol);
			await enterPassword(page, carol);
			await page.locator("[name=code]").waitFor();
		},
		values: { code: CODE },
		submit: "Continue",
		sends: "POST /api/v1/auth/mfa",
		status: 401,
	},
	{
		source: "sign-in/second-factor-step.tsx",
		path: "/sign-in",
		async begin({ page, service }) {
			const { body } = await service.call("GET", "/api/v1/auth/methods");
			await service.asAdmin("PATCH", `/api/v1/tenants/${body.data.tenant.id}`, { second_factor_help: true });
			const nina = await addPerson(service, "nina");
			await enrollTotp(service, nina);
			await enterPassword(page, nina);
			await page.getByText("Can't use any of these?").click();
		},
		ready: "details form",
		submit: "Notify the administrators",
		sends: "POST /api/v1/auth/mfa/help",
	},
	{
		source: "sign-in/passkey-offer.tsx",
		path: "/sign-in",
		async begin({ page, service }) {
			const dana = await addPerson(service, "dana");
			await addVirtualAuthenticator(page, { automaticPresenceSimulation: false });
			await page.reload();
			await enterPassword(page, dana);
		},
		ready: "form:not(:has([name=username]))",
		submit: "Create passkey",
		sends: "POST /api/v1/users/me/mfa/passkeys",
	},
	{
		source: "set-up/set-up-page.tsx",
		path: "/set-up",
		async begin({ page, service }) {
			const body = { domain: "forms.example" };
			const { url } = await service.asAdmin("POST", "/api/v1/identity-providers/set-up-links", body);
			await page.goto(`${PAGES_URL}/set-up${new URL(url).hash}`);
			await page.reload();
		},
		ready: "[name=client_id]",
		values: { issuer: "https://login.forms.example" },
		submit: "Save",
		sends: "PUT /api/v1/set-up",
	},
	{
		source: "still-needed/still-needed-page.tsx",
		path: "/still-needed",
		async begin({ page, service }) {
			const { email } = await submitApproved(service);
			await service.mailsTo(email, 2);
			const due_at = new Date(service.clock.now() + 2 * 86_400_000).toISOString();
			await addReview(service, { subject: "partners", due_at });
			await runReviewJob(service);
			const mail = (await service.mailsTo(email, 3)).at(-1);
			await page.goto(`${PAGES_URL}${/\/still-needed#[\w-]+/.exec(mail?.text ?? "")?.[0]}`);
			await page.reload();
		},
		ready: "[name=reason]",
		values: { reason: "Nightly import." },
		submit: "Send answer",
		sends: "POST /api/v1/reviews/partner-answer",
	},
	{
		source: "sign-in/mailed-code-forms.tsx",
		path: "/sign-in",
		open: ["Forgot your password?"],
		values: { email: "layla@people.example" },
		submit: "Email me a link",
		sends: "POST /api/v1/auth/password/forgot",
	},
	{
		source: "sign-in/mailed-code-forms.tsx",
		path: "/sign-in",
		begin: askForCode,
		values: { email: "layla@people.example" },
		submit: "Send code",
		sends: "POST /api/v1/auth/login/send-code",
	},
	{
		source: "sign-in/mailed-code-forms.tsx",
		path: "/sign-in",
		async begin(stage) {
			await askForCode(stage);
			await stage.page.locator("[name=email]").fill("lana@people.example");
			await stage.page.keyboard.press("Enter");
			await stage.page.locator("[name=code]").waitFor();
		},
		values: { code: CODE },
		submit: "Continue",
		sends: "POST /api/v1/auth/login/code",
		status: 400,
	},
	{
		source: "sign-in/mailed-code-forms.tsx",
		path: "/sign-up",
		values: { email: "new@people.example" },
		submit: "Send code",
		sends: "POST /api/v1/auth/register/send-code",
	},
	{
		source: "sign-in/mailed-code-forms.tsx",
		path: "/sign-up",
		async begin({ page }) {
			await page.locator("[name=email]").fill("newest@people.example");
			await page.keyboard.press("Enter");
			await page.locator("[name=code]").waitFor();
		},
		values: { code: CODE },
		submit: "Continue",
		sends: "POST /api/v1/auth/register/check-code",
		status: 400,
	},
	{
		source: "sign-in/registration-form.tsx",
		path: "/sign-up",
		async begin({ page, service }) {
			await page.locator("[name=email]").fill("newer@people.example");
			await page.keyboard.press("Enter");
			await page.locator("[name=code]").fill(await mailedCode(service, "newer@people.example"));
			await page.locator("[name=username]").waitFor();
		},
		// Taken, so that the page stays for the next form.
		values: { username: "layla", password: NEW_PASSWORD },
		submit: "Create account",
		sends: "POST /api/v1/auth/register",
		status: 409,
	},
	{
		source: "mailed-links/reset-main.tsx",
		path: `/reset#${LINK}`,
		values: { new_password: NEW_PASSWORD },
		submit: "Set password",
		sends: "POST /api/v1/auth/password/reset",
		status: 404,
	},
	{
		source: "mailed-links/invite-page.tsx",
		path: `/invite#${LINK}`,
		values: { password: NEW_PASSWORD },
		submit: "Accept invitation",
		sends: "POST /api/v1/auth/invite/accept",
		status: 404,
	},
	{
		source: "mailed-links/restore-email-main.tsx",
		path: `/restore-email#${LINK}`,
		submit: "Recover account",
		sends: "POST /api/v1/auth/email/restore",
		status: 404,
	},
	{
		isSample: true,
		source: "portal/request-form.tsx",
		path: "/portal",
		values: { email: "partner@partner.example" },
		submit: "Send request",
		sends: "POST /api/v1/access-requests",
	},
	{
		source: "claim/claim-offer.tsx",
		path: "/claim",
		async begin({ page, service }) {
			const { email } = await submitApproved(service);
			await page.goto(`${PAGES_URL}/claim#${await mailedToken(service, email, "claim")}`);
			await page.getByRole("radio", { name: "Public key of your own" }).check();
		},
		values: { public_key: JSON.stringify(newKey().public_key) },
		submit: "Claim credentials",
		sends: "POST /api/v1/access-requests/claim",
	},
];

describeForms("every form of a visitor", FORMS, { isSignedIn: false });
