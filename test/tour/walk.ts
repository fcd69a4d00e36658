// The tour: from a partner's access request to a denied and an allowed user.

import { randomUUID } from "node:crypto";
import { findMail } from "./mailbox.ts";
import type { Setting as Performance } from "./perform.ts";
import type { Variable } from "./words.ts";

const PARTNER = "ada@partner.example";
const PERSON = "grace@people.example";
const API = "/api/v1";

/** The part of a setting that the walk needs. */
type Setting = Pick<Performance, "stage" | "dataDir" | "adminPassword">;

/** The partner's credentials, as environment variables of `latchkey sign`. */
type Credentials = Readonly<
	Record<"LK_BASE_URL" | "LK_TENANT_ID" | "LK_APP_ID" | "LK_API_KEY" | "LK_SECRET", string>
>;

/** @throws Error naming the step that failed. */
export async function walk(setting: Setting): Promise<void> {
	const token = await review(setting);
	const credentials = await claim(setting);
	await call(setting, credentials);
	const userId = await register(setting);
	await checkAccess(setting, credentials, { token, userId });
}

async function review({ stage, adminPassword }: Setting): Promise<Variable> {
	stage.step("A partner asks for access");
	const request = await stage.curl(
		"POST",
		`${API}/access-requests`,
		{
			json: {
				applicant_name: "Ada Lovelace",
				email: PARTNER,
				company: "Engines Ltd",
				project_name: "Analytical Engine",
				purpose: "To see who may use the engine.",
			},
			show: ["id", "email", "status"],
		},
		201,
	);

	stage.step("A reviewer signs in and approves");
	const password = { name: "PASSWORD", value: adminPassword };
	const login = await stage.curl(
		"POST",
		`${API}/auth/login`,
		{
			json: { username: "admin", password: adminPassword },
			hide: [password],
			show: ["access_token", "expires_in"],
		},
		200,
	);
	const token = stage.set("TOKEN", login.data.access_token);
	const list = { token, show: ["id", "project_name", "total"] };
	const pending = await stage.curl("GET", `${API}/requests?status=pending`, list, 200);
	if (pending.total !== 1) stage.fail(`${pending.total} requests are pending instead of 1`);
	await stage.curl(
		"POST",
		`${API}/requests/${request.id}/approve`,
		{ token, json: { review_note: "Welcome." }, show: ["status", "api_client_id"] },
		200,
	);
	return token;
}

async function claim({ stage, dataDir }: Setting): Promise<Credentials> {
	stage.step("The partner receives a link by mail and claims the credentials, once");
	const mail =
		(await findMail(dataDir, PARTNER, /\/claim#([A-Za-z0-9_-]+)/)) ??
		stage.fail("no mail with a claim link came");
	stage.say(`mail to ${PARTNER}: "${mail.subject}", with a link to /claim#…`);
	const claimToken = stage.set("CLAIM", mail.found);
	const shown = ["tenant_id", "app_id", "api_key", "secret", "error"];
	const body = { json: { token: claimToken.value }, hide: [claimToken], show: shown };
	const { data } = await stage.curl("POST", `${API}/access-requests/claim`, body, 201);
	await stage.curl("POST", `${API}/access-requests/claim`, body, 404);
	const credentials = {
		LK_BASE_URL: stage.baseUrl,
		LK_TENANT_ID: data.tenant_id,
		LK_APP_ID: data.app_id,
		LK_API_KEY: data.api_key,
		LK_SECRET: data.secret,
	};
	const [, ...others] = Object.keys(credentials);
	stage.command(`export LK_BASE_URL=${stage.baseUrl} ${others.join("=… ")}=…`);
	return credentials;
}

async function call({ stage }: Setting, env: Credentials): Promise<void> {
	stage.step("The partner makes a signed call");
	const once = {
		env,
		nonce: randomUUID(),
		timestamp: String(Math.floor(Date.now() / 1000)),
		show: ["client", "name", "api_key", "ip", "server_time", "error"],
	};
	const whoami = await stage.sign(`${API}/external/whoami`, once, 200);
	if (whoami.data.client.api_key !== env.LK_API_KEY) stage.fail("the response names another client");

	stage.step("The same call again is a replay and is refused");
	await stage.sign(`${API}/external/whoami`, once, 401);
}

async function register({ stage, dataDir }: Setting): Promise<string> {
	stage.step("A user registers with a mailed code");
	await stage.curl("POST", `${API}/auth/register/send-code`, { json: { email: PERSON } }, 200);
	const mail = (await findMail(dataDir, PERSON, /\b([0-9]{6})\b/)) ?? stage.fail("no mail with a code came");
	stage.say(`mail to ${PERSON}: "${mail.subject}"`);
	const password = "compilers for everybody";
	await stage.curl(
		"POST",
		`${API}/auth/register`,
		{
			json: { username: "grace", email: PERSON, password, code: mail.found },
			show: ["id", "username", "email_verified"],
		},
		201,
	);

	stage.step("The user signs in and changes the password");
	const signIn = { json: { username: "grace", password }, show: ["access_token", "expires_in"] };
	const login = await stage.curl("POST", `${API}/auth/login`, signIn, 200);
	const token = stage.set("GRACE", login.data.access_token);
	const show = ["id", "username", "status"];
	const me = await stage.curl("GET", `${API}/users/me`, { token, show }, 200);
	const change = { current_password: password, new_password: "a nanosecond of wire" };
	await stage.curl("PUT", `${API}/users/me/password`, { token, json: change }, 200);
	return me.data.id;
}

async function checkAccess(
	{ stage }: Setting,
	env: Credentials,
	{ token, userId }: { readonly token: Variable; readonly userId: string },
): Promise<void> {
	const question = { env, json: { user_id: userId }, show: ["allowed", "reason", "user_id", "app_id"] };
	const expect = (decision: { allowed: boolean; reason: string }, allowed: boolean, reason: string): void => {
		if (decision.allowed !== allowed || decision.reason !== reason)
			stage.fail(`the decision is ${decision.allowed}, ${decision.reason}`);
	};

	stage.step("The partner asks whether the user may use its application, and gets no");
	const denied = await stage.sign(`${API}/external/users/check-access`, question, 200);
	expect(denied.data, false, "not_assigned");

	stage.step("The admin grants access, and the same question gets yes");
	const grant = `${API}/applications/${env.LK_APP_ID}/grants/users/${userId}`;
	await stage.curl("PUT", grant, { token, json: { roles: [] }, show: ["app_id", "user_id"] }, 201);
	const allowed = await stage.sign(`${API}/external/users/check-access`, question, 200);
	expect(allowed.data, true, "ok");
}
