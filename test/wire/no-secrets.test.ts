import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import PostalMime from "postal-mime";
import { mailedToken, QUEUE, REQUESTS, rows, submission } from "../harness/access/access-requests.ts";
import { withSecret } from "../harness/access/applications.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { mailedCode, wrongCode } from "../harness/people/registration.ts";
import {
	addPersonWithTotp,
	completeMfa,
	enrollPasskey,
	nextCode,
	passwordStep,
} from "../harness/people/second-factors.ts";
import {
	type OidcProvider,
	signInAtProvider,
	startOidcProvider,
} from "../harness/providers/oidc-provider.ts";
import { PROVIDER_NETWORK, THIRD_PARTY } from "../harness/providers/third-party.ts";
import {
	ADMIN,
	type CallOptions,
	type CallResponse,
	startTestService,
	type TestService,
} from "../harness/service/service.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

/** A secret that only its owner may see; `mailed` is the kind of mail that may contain it. */
interface Secret {
	readonly name: string;
	readonly text: string;
	readonly mailed?: "receipt" | "approval" | "code" | "reset" | "move" | "moved";
	/** Six digits occur by chance in many bytes: search for them as whole words. */
	readonly isCode?: boolean;
}

const OLD_PASSWORD = "first-Passwort-ölçü-73";
const NEW_PASSWORD = "second-Passwort-ölçü-84";
const GUESS = "a wrong guess at a password";

const CLIENT = { client_id: "latchkey", client_secret: "the secret the provider gave us" };

let service: TestService;
let provider: OidcProvider;
const secrets: Secret[] = [];
/** Every response with the number of secrets known before it: a response may contain secrets that it issues. */
const responses: { readonly what: string; readonly text: string; readonly known: number }[] = [];

function keep(name: string, text: string, more: Omit<Secret, "name" | "text"> = {}): string {
	assert.ok(text.length >= 6, name);
	secrets.push({ name, text, ...more });
	return text;
}

async function say<const M extends string, const P extends string>(
	status: number,
	method: M,
	path: P,
	options: CallOptions = {},
) {
	const answer = await service.call(method, path, options);
	assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
	responses.push({
		what: `${method} ${path}`,
		text: JSON.stringify(answer.body ?? ""),
		known: secrets.length,
	});
	return answer;
}

function holds(haystack: string, { text, isCode }: Secret): boolean {
	return isCode ? new RegExp(`\\b${text}\\b`).test(haystack) : haystack.includes(text);
}

function assertNone(
	haystack: string,
	where: string,
	allowed: (secret: Secret) => boolean = () => false,
): void {
	for (const secret of secrets)
		if (!allowed(secret)) assert.ok(!holds(haystack, secret), `${secret.name} is in ${where}`);
}

type Tokens = Pick<DataOf<"POST /api/v1/auth/refresh">, "access_token" | "refresh_token">;

function keepTokens(
	whose: string,
	{ body }: CallResponse<{ readonly data: Tokens }>,
): { access: string; refresh: string } {
	const { access_token, refresh_token } = body.data;
	keep(`access token of ${whose}`, access_token);
	keep(`signature of the access token of ${whose}`, access_token.split(".")[2] ?? "");
	return { access: access_token, refresh: keep(`refresh token of ${whose}`, refresh_token) };
}

async function signIn(username: string, password: string): Promise<{ access: string; refresh: string }> {
	return keepTokens(username, await say(200, "POST", "/api/v1/auth/login", { body: { username, password } }));
}

/** Registers, signs in, fails to, changes the password, refreshes, and reuses a token. */
async function livePerson(): Promise<void> {
	const email = "person@people.example";
	await say(200, "POST", "/api/v1/auth/register/send-code", { body: { email } });
	const code = keep("mailed code", await mailedCode(service, email), { mailed: "code", isCode: true });
	const person = { username: "person", email, password: keep("first password", OLD_PASSWORD) };
	await say(400, "POST", "/api/v1/auth/register", { body: { ...person, code: wrongCode(code) } });
	await say(201, "POST", "/api/v1/auth/register", { body: { ...person, code } });
	const { tenant } = (await service.call("GET", "/api/v1/auth/methods")).body.data;
	await service.asAdmin("PATCH", `/api/v1/tenants/${tenant.id}`, { mailed_code: true });
	const asked = await say(202, "POST", "/api/v1/auth/login/send-code", { body: { email } });
	const attempt = keep("sign-in attempt", asked.body.data.attempt);
	const [, second] = await service.mailsTo(email, 2);
	const signInCode = keep("sign-in code", /[0-9]{6}/.exec(second?.text ?? "")?.[0] ?? "", {
		mailed: "code",
		isCode: true,
	});
	await say(400, "POST", "/api/v1/auth/login/code", { body: { attempt, code: wrongCode(signInCode) } });
	keepTokens(
		"person",
		await say(200, "POST", "/api/v1/auth/login/code", { body: { attempt, code: signInCode } }),
	);
	keep("wrong password", GUESS);
	await say(401, "POST", "/api/v1/auth/login", { body: { username: "person", password: GUESS } });
	// Users type their password into the username field.
	await say(401, "POST", "/api/v1/auth/login", { body: { username: OLD_PASSWORD, password: "person" } });
	await say(400, "POST", "/api/v1/auth/login", { body: `{"username":"person","password":"${OLD_PASSWORD}` });
	const first = await signIn("person", OLD_PASSWORD);
	const change = (current_password: string) => ({
		token: first.access,
		body: { current_password, new_password: keep("second password", NEW_PASSWORD) },
	});
	await say(400, "PUT", "/api/v1/users/me/password", change(GUESS));
	await say(200, "PUT", "/api/v1/users/me/password", change(OLD_PASSWORD));
	const refresh = (refresh_token: string) => ({ body: { refresh_token } });
	const next = await say(200, "POST", "/api/v1/auth/refresh", refresh(first.refresh));
	keepTokens("person, refreshed", next);
	service.clock.advance(11_000);
	await say(401, "POST", "/api/v1/auth/refresh", refresh(first.refresh));
	await say(401, "GET", `/api/v1/users/me?access_token=${first.access}`, { token: first.access });
}

/** Changes the email address, restores it, and resets the password. */
async function liveForgetful(): Promise<void> {
	const [email, moved] = ["forgetful@people.example", "moved@people.example"];
	const password = keep("forgetful's password", "third-Passwort-ölçü-95");
	const token = await service.adminToken();
	const fields = { username: "forgetful", email, email_verified: true };
	await say(201, "POST", "/api/v1/users", { token, body: { ...fields, password } });
	const { access } = await signIn("forgetful", password);
	const ask = { email: moved, current_password: password };
	await say(200, "POST", "/api/v1/users/me/email", { token: access, body: ask });
	const code = keep("code for a move", await mailedCode(service, moved), { mailed: "move", isCode: true });
	const confirm = "/api/v1/users/me/email/confirm";
	await say(400, "POST", confirm, { token: access, body: { email: moved, code: wrongCode(code) } });
	await say(200, "POST", confirm, { token: access, body: { email: moved, code } });
	const back = keep("way back", await mailedToken(service, email, "restore-email"), { mailed: "moved" });
	await say(204, "POST", "/api/v1/auth/email/restore", { body: { token: back } });
	keep("link after a restore", await mailedToken(service, email, "reset"), { mailed: "reset" });
	await say(202, "POST", "/api/v1/auth/password/forgot", { body: { email } });
	const link = keep("link to set a password", await mailedToken(service, email, "reset", 2), {
		mailed: "reset",
	});
	const newPassword = keep("password that was set", "fourth-Passwort-ölçü-06");
	await say(400, "POST", "/api/v1/auth/password/reset", { body: { token: link, new_password: "short" } });
	await say(204, "POST", "/api/v1/auth/password/reset", { body: { token: link, new_password: newPassword } });
	await say(404, "POST", "/api/v1/auth/password/reset", { body: { token: link, new_password: newPassword } });
}

/** Enrolls an authenticator app, enters wrong and right codes, uses a recovery code, and adds a passkey. */
async function liveCarefully(): Promise<void> {
	const careful = await addPersonWithTotp(service, "careful");
	keep("access token before the second factor", careful.token);
	keep("password of the careful", careful.password);
	keep("secret of an app", careful.secret);
	for (const code of careful.recoveryCodes) keep("recovery code", code);
	for (const method of ["totp", "recovery_code"]) {
		const mfaToken = keep("mfa_token", await passwordStep(service, careful));
		assert.equal((await completeMfa(service, mfaToken, method, "000000")).status, 401);
		const code = method === "totp" ? nextCode(service, careful.secret) : careful.recoveryCodes[0];
		const answer = await completeMfa(service, mfaToken, method, code as string);
		keepTokens(`the careful by ${method}`, answer);
	}
	const { authenticator } = await enrollPasskey(service, careful);
	keep("private part of a passkey", String(authenticator.privateKey.export({ format: "jwk" }).d));
}

/** Submits access requests, claims one, withdraws one, signs, replays, and regenerates. */
async function livePartner(admin: string): Promise<void> {
	const [claimed, withdrawn] = ["claims@partner.example", "withdraws@partner.example"];
	const { body: request } = await say(201, "POST", REQUESTS, { body: submission({ email: claimed }) });
	await say(201, "POST", REQUESTS, { body: submission({ email: withdrawn }) });
	await say(200, "POST", `${QUEUE}/${request.id}/approve`, { token: admin, body: {} });
	for (const email of [claimed, withdrawn])
		keep(`withdrawal token of ${email}`, await mailedToken(service, email, "withdraw"), {
			mailed: "receipt",
		});
	const token = keep("claim token", await mailedToken(service, claimed, "claim"), { mailed: "approval" });
	const withdrawal = { token: secrets.find(({ name }) => name.endsWith(withdrawn))?.text };
	await say(204, "POST", `${REQUESTS}/withdraw`, { body: withdrawal });
	const { body } = await say(201, "POST", `${REQUESTS}/claim`, { body: { token } });
	await say(404, "POST", `${REQUESTS}/claim`, { body: { token } });
	const client = withSecret(body.data);
	keep("claimed Secret", client.secret);
	const whoami = "/api/v1/external/whoami";
	const call = { nonce: "one-nonce-of-this-test" };
	assert.equal((await service.signed(client, "GET", whoami, call)).status, 200);
	assert.equal((await service.signed(client, "GET", whoami, call)).status, 401);
	const forged = { ...client, secret: keep("guessed Secret", `sk_${"guess".repeat(8)}abc`) };
	assert.equal((await service.signed(forged, "GET", whoami)).status, 401);
	const regenerate = `/api/v1/api-clients/${client.id}/regenerate-secret` as const;
	const fresh = await say(200, "POST", regenerate, { token: admin, body: { overlap_seconds: 60 } });
	keep("regenerated Secret", fresh.body.data.secret);
	for (const secret of [client.secret, forged.secret, fresh.body.data.secret]) {
		const validation = { token: admin, body: { api_key: client.api_key, secret } };
		await say(200, "POST", "/api/v1/api-clients/validate", validation);
	}
}

/** Sets up a provider, signs in with it, and records everything that passes through the browser. */
async function liveElsewhere(admin: string, provider: OidcProvider): Promise<void> {
	const client_secret = keep("secret at the provider", CLIENT.client_secret);
	const body = { ...CLIENT, provider: "corp", kind: "oidc", display_name: "Corp", issuer: provider.issuer };
	await say(201, "POST", "/api/v1/identity-providers", { token: admin, body: { ...body, sign_up: true } });
	const start = { body: { return_to: "/sign-in" } };
	const started = await say(200, "POST", `${THIRD_PARTY}/${body.provider}/start`, start);
	const cookie = started.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
	keep("secret of the browser", cookie.split("=")[1] ?? "");
	const away = new URL(started.body.data.authorization_url);
	for (const name of ["state", "nonce"]) keep(name, away.searchParams.get(name) ?? "");
	const back = await signInAtProvider(away.href, "somebody");
	keep("code of the provider", back.searchParams.get("code") ?? "");
	await say(303, "GET", back.pathname + back.search, { headers: { cookie } });
	const finish = { https: true, headers: { cookie, origin: service.httpsUrl } };
	const finished = await say(200, "POST", `${THIRD_PARTY}/finish`, finish);
	keep("access token of a third-party user", finished.body.data.access_token);
	const session = finished.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
	keep("refresh token of a third-party user", session.split("=")[1] ?? "");
	await say(404, "POST", `${THIRD_PARTY}/finish`, finish);
	await say(400, "GET", back.pathname + back.search, { headers: { cookie } });
	const patch = { client_secret: `${client_secret}, changed` };
	const { data } = (await say(200, "GET", "/api/v1/identity-providers", { token: admin })).body;
	await say(200, "PATCH", `/api/v1/identity-providers/${data[0]?.id}`, { token: admin, body: patch });
}

/** Puts a gate in front of an application, asks it with wrong and right proofs, and signs a browser in at its host. */
async function liveGated(admin: string): Promise<void> {
	const { body: application } = await say(201, "POST", "/api/v1/applications", {
		token: admin,
		body: { name: "Gated", access_policy: "open" },
	});
	const { id } = application.data;
	const path = `/api/v1/applications/${id}/gate` as const;
	const settings = {
		rules: [{ path: "/*", needs: "signed-in" }],
		statement: true,
		browser_origin: "https://gated.example",
	};
	const put = await say(201, "PUT", path, { token: admin, body: settings });
	keep("first gate key", put.body.data.gate_key ?? "");
	const { body: made } = await say(200, "POST", `${path}/regenerate-key`, { token: admin, body: {} });
	const key = keep("gate key", made.data.gate_key ?? "");
	const asked = async (headers: Readonly<Record<string, string>>, suffix = "") => {
		const described = { "x-gate-key": key, "x-original-method": "GET", "x-original-uri": "/in?token=x" };
		const sent = suffix === "" ? { ...described, ...headers } : { "x-gate-key": key, ...headers };
		return await service.call<unknown>("GET", `/gate/${id}${suffix}`, { https: true, headers: sent });
	};
	assert.equal(
		(await asked({ "x-gate-key": keep("wrong gate key", `gk_${"wrong".repeat(8)}abc`) })).status,
		401,
	);
	assert.equal((await asked({ authorization: `Bearer ${admin}` })).status, 401);

	const login = await service.call<unknown>("POST", "/api/v1/auth/login", {
		https: true,
		body: { username: ADMIN.username, password: ADMIN.password },
		headers: { origin: service.httpsUrl, "x-session": "cookie" },
	});
	const cookieOf = ({ headers }: CallResponse<unknown>): string =>
		headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
	const session = cookieOf(login);
	keep("session of a browser", session.split("=")[1] ?? "");
	const begun = await asked({}, "/browser/sign-in");
	const state = cookieOf(begun);
	keep("state of a browser", state.split("=")[1] ?? "");
	const enter = new URL(String(begun.headers.location));
	const entered = await service.call<unknown>("GET", `${enter.pathname}${enter.search}`, {
		https: true,
		headers: { cookie: session },
	});
	const code = new URL(String(entered.headers.location)).searchParams.get("code") ?? "";
	keep("code of a gate", code);
	const finished = await asked({ cookie: state }, `/browser/callback?code=${code}`);
	const cookie = cookieOf(finished);
	keep("session at a gate", cookie.split(".")[1] ?? "");
	assert.equal((await asked({ cookie: `${cookie}x` })).status, 401);
	const passed = await asked({ cookie });
	assert.equal(passed.status, 200);
	const statement = keep("statement", String(passed.headers["latchkey-statement"]));
	keep("signature of a statement", statement.split(".")[2] ?? "");
	await say(200, "GET", path, { token: admin });
	await say(200, "GET", "/api/v1/refusals", { token: admin });
}

/** Creates a user, sets a password, creates a client, and reads every list. */
async function liveAdmin(admin: string): Promise<void> {
	const user = { username: "made", email: "made@people.example" };
	const password = keep("password given by an admin", "given-by-an-admin-1");
	const { body } = await say(201, "POST", "/api/v1/users", { token: admin, body: { ...user, password } });
	const patch = { password: keep("password set by an admin", "set-by-an-admin-2") };
	await say(200, "PATCH", `/api/v1/users/${body.data.id}`, { token: admin, body: patch });
	const { body: application } = await say(201, "POST", "/api/v1/applications", {
		token: admin,
		body: { name: "Made" },
	});
	const client = {
		app_id: application.data.id,
		name: "made",
		secret: keep("ignored", "sk_of-the-callers-making"),
	};
	const created = await say(201, "POST", "/api/v1/api-clients", { token: admin, body: client });
	keep("created Secret", withSecret(created.body.data).secret);
	const hook = { url: "https://hooks.partner.example/", event_types: ["user.password_locked"] };
	const webhook = await say(201, "POST", "/api/v1/webhooks", { token: admin, body: hook });
	keep("webhook secret", webhook.body.data.secret);
	const rotate = `/api/v1/webhooks/${webhook.body.data.id}/rotate-secret` as const;
	keep("rotated webhook secret", (await say(200, "POST", rotate, { token: admin })).body.data.secret);
	await say(200, "GET", "/api/v1/webhooks", { token: admin });
	for (const list of ["users", "applications", "api-clients", "requests", "audit-events"])
		await say(200, "GET", `/api/v1/${list}?page_size=100`, { token: admin });
	await say(401, "GET", "/api/v1/users", { token: `${admin}x` });
	await say(204, "POST", "/api/v1/auth/logout", { token: admin });
}

function metricsText(): Promise<string> {
	return new Promise((resolve, reject) => {
		http
			.get(`http://127.0.0.1:${service.metricsPort}/metrics`, (response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (chunk) => {
					text += chunk;
				});
				response.on("end", () => resolve(text));
			})
			.on("error", reject);
	});
}

const KIND_OF_SUBJECT: readonly [RegExp, Secret["mailed"]][] = [
	[/received/i, "receipt"],
	[/approved/i, "approval"],
	[/new password/i, "reset"],
	[/confirm your new/i, "move"],
	[/was changed/i, "moved"],
	[/code/i, "code"],
];

const TABLES = {
	sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
	postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
};

describe("secrets", () => {
	before(async () => {
		const redirect_uris = [`https://localhost:8443${THIRD_PARTY}/corp/callback`];
		provider = await startOidcProvider({
			clients: [{ ...CLIENT, redirect_uris }],
			users: [{ sub: "somebody" }],
		});
		const env = { LATCHKEY_LOG_LEVEL: "debug", LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK };
		service = await startTestService({ metrics: true, env });
		const { access } = await signIn(ADMIN.username, keep("admin's password", ADMIN.password));
		await livePerson();
		await liveForgetful();
		await liveCarefully();
		await livePartner(access);
		await liveElsewhere(access, provider);
		await liveGated(access);
		await liveAdmin(access);
	});
	after(async () => {
		await service?.stop();
		await provider?.close();
	});

	it("are many and appear in the responses that issue them (a precondition of this test)", () => {
		assert.ok(secrets.length >= 20);
		assert.ok(
			responses.some(({ text, known }) => secrets.slice(known).some((secret) => holds(text, secret))),
		);
	});

	it("are in no response except the one that issues them", () => {
		for (const { what, text, known } of responses) {
			for (const secret of secrets.slice(0, known))
				assert.ok(!holds(text, secret), `${secret.name}: ${what}`);
			assert.doesNotMatch(text, /\$2[aby]\$|"v1\.[0-9a-f]{8}\./, what);
		}
	});

	it("are in no log line, at the most detailed level", () => {
		const logs = service.logs();
		assert.ok(logs.split("\n").length > responses.length);
		assert.match(logs, /"level":20/);
		assertNone(logs, "the log");
		assert.doesNotMatch(logs, /\$2[aby]\$/);
	});

	it("are in no audit event", async () => {
		const events = await rows<Record<string, unknown>>(service, "SELECT * FROM audit_events");
		assert.ok(events.length >= 20);
		assertNone(JSON.stringify(events), "the audit trail");
		assert.doesNotMatch(JSON.stringify(events), /\$2[aby]\$/);
	});

	it("are in no metric", async () => {
		assertNone(await metricsText(), "the metrics");
	});

	it("are in no mail except the one that delivers them", async () => {
		// The last mails may still be written.
		const deadline = Date.now() + 60_000;
		while (!/^latchkey_mail_due 0$/m.test(await metricsText())) {
			assert.ok(Date.now() < deadline, "mails are still due");
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		const folder = join(service.dataDir, "mail");
		const found = new Set<string>();
		for (const file of readdirSync(folder)) {
			const { subject = "", text = "", html = "" } = await PostalMime.parse(readFileSync(join(folder, file)));
			const kind = KIND_OF_SUBJECT.find(([pattern]) => pattern.test(subject))?.[1];
			const content = `${subject}\n${text}\n${html}`;
			assertNone(content, `the mail "${subject}"`, ({ mailed }) => mailed !== undefined && mailed === kind);
			for (const secret of secrets) if (holds(content, secret)) found.add(secret.mailed ?? "");
		}
		assert.deepEqual([...found].sort(), ["approval", "code", "move", "moved", "receipt", "reset"]);
	});

	it("are in no row of the database", async () => {
		const tables = await rows<{ name: string }>(service, TABLES[TEST_ENGINE]);
		assert.ok(tables.length >= 15);
		for (const { name } of tables)
			assertNone(JSON.stringify(await rows(service, `SELECT * FROM ${name}`)), name);
	});

	it("are in no file of the data directory, including deleted rows and the write-ahead log", () => {
		const files = readdirSync(service.dataDir).filter((name) => name !== "mail");
		assert.equal(
			files.some((name) => name.endsWith("-wal")),
			TEST_ENGINE === "sqlite",
		);
		for (const name of files) {
			const bytes = readFileSync(join(service.dataDir, name));
			for (const secret of secrets)
				if (secret.isCode !== true) assert.ok(!bytes.includes(secret.text), `${secret.name} is in ${name}`);
		}
	});
});
