// Moves a service to another public URL with the steps of docs/incidents.md: what breaks there breaks, and nothing else.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addApiClient, addApplication } from "../harness/access/applications.ts";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { addAdminKey, statusWith } from "../harness/people/admin-keys.ts";
import { Authenticator } from "../harness/people/authenticator.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import {
	addPersonWithTotp,
	claimsOf,
	completeMfa,
	enrollPasskey,
	nextCode,
	PASSKEY_SIGN_IN,
	passkeyOptions,
	passwordStep,
} from "../harness/people/second-factors.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { png } from "../harness/runs/png.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";
import { SHELL_SKIPPED, shellBeside, stepsOf } from "./steps.ts";

const OLD = "https://auth.looms.test";
const NEW = "https://id.auth.looms.test";
const ELSEWHERE = "https://id.weavers.test";
const ME = "/api/v1/users/me";

describe("docs/incidents.md: a new public URL", { skip: SHELL_SKIPPED }, () => {
	const folder = lastingFolder();
	let service: TestService;
	const serve = async (LATCHKEY_PUBLIC_URL: string, more: Record<string, string> = {}): Promise<void> => {
		await service?.stop();
		service = await startTestService({
			dataDir: join(folder, "data"),
			env: { LATCHKEY_PUBLIC_URL, ...more },
		});
	};
	const login = async (person: Pick<Person, "username" | "password">) => {
		const { username, password } = person;
		return (await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).body.data;
	};
	const passkeySignIn = async (authenticator: Authenticator, origin: string, rpId?: string) => {
		const options = await passkeyOptions(service);
		const assertion = authenticator.get(options, { origin, ...(rpId !== undefined && { rpId }) });
		return (await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } })).status;
	};
	before(() => serve(OLD));
	after(() => service?.stop());

	test("breaks what the table says, and keeps the rest", async () => {
		const steps = stepsOf("A new public URL");
		const ada = await addPerson(service, "ada");
		const { refresh_token } = await login(ada);
		const withApp = await addPersonWithTotp(service, "bob");
		const authenticator = new Authenticator(OLD);
		await enrollPasskey(service, await addPerson(service, "cleo"), authenticator);
		assert.equal(await passkeySignIn(authenticator, OLD), 200);
		const client = await addApiClient(service);
		const key = await addAdminKey(service);
		const { id: appId } = await addApplication(service, { name: "Orders" });
		const token = await service.adminToken();
		const logo = await service.call("PUT", `/api/v1/applications/${appId}/logo`, {
			token,
			headers: { "content-type": "image/png" },
			body: png(8, 8),
		});
		assert.equal(logo.status, 200, JSON.stringify(logo.body));
		await service.asAdmin("POST", "/api/v1/identity-providers", {
			provider: "github",
			kind: "github",
			display_name: "GitHub",
			client_id: "id",
			client_secret: "secret",
		});
		await service.asAdmin("POST", "/api/v1/users", {
			username: "dora",
			email: "dora@people.example",
			invite: true,
		});
		const [mail] = await service.mailsTo("dora@people.example");
		const [, base, invitation] = /(https:[^\s#]+)\/invite#(\S+)/.exec(String(mail?.text)) ?? [];
		assert.equal(base, OLD);

		using shell = await shellBeside(service);
		shell.env.NEW_URL = NEW;
		assert.match(await steps.next(shell), /^ok +settings/m);
		await serve(NEW, { LATCHKEY_PASSKEY_DOMAIN: new URL(OLD).hostname });
		Object.assign(shell.env, {
			LATCHKEY_PUBLIC_URL: NEW,
			NODE_URL: service.httpUrl,
			LATCHKEY_PORT: String(service.httpPort),
			LATCHKEY_HTTPS_PORT: String(service.httpsPort),
		});
		const listed = await steps.next(shell);
		assert.match(listed, new RegExp(`^github\t${NEW}/.*/callback$`, "m"));
		assert.match(listed, new RegExp(`^Orders\t${appId}$`, "m"));
		assert.match(await steps.next(shell), new RegExp(`^${NEW}$`, "m"));
		steps.end();

		assert.equal(
			(await service.call("GET", ME, { token: ada.token })).status,
			401,
			"an earlier access token",
		);
		const refreshed = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
		const access = refreshed.body.data.access_token;
		assert.equal((await service.call("GET", ME, { token: access })).status, 200, "the session");
		assert.equal(claimsOf(access).sub, claimsOf(ada.token).sub);
		assert.equal(await passkeySignIn(authenticator, NEW), 200, "a passkey of the domain above");
		const step = await passwordStep(service, withApp);
		assert.equal((await completeMfa(service, step, "totp", nextCode(service, withApp.secret))).status, 200);
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200, "a signed call");
		assert.equal(await statusWith(service, key), 200, "an admin key");
		const application = await service.asAdmin("GET", `/api/v1/applications/${appId}`);
		assert.ok(String(application.logo_url).startsWith(OLD), "an uploaded logo");
		const accepted = await service.call("POST", "/api/v1/auth/invite/accept", {
			body: { token: invitation, password: "a password of dora" },
		});
		assert.equal(accepted.status, 200, JSON.stringify(accepted.body));

		await serve(ELSEWHERE);
		const rpId = new URL(OLD).hostname;
		assert.equal(await passkeySignIn(authenticator, ELSEWHERE, rpId), 401, "a passkey of another domain");
		assert.equal((await service.call("GET", ME, { token: access })).status, 401);
		assert.ok((await login(ada)).access_token, "a password");
	});
});
