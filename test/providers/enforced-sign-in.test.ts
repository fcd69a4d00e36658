// A domain whose sign-in is enforced: its issuer and nothing else, for everyone but administrators.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { mailedToken } from "../harness/access/access-requests.ts";
import { addVerifiedDomain, DOMAINS, runDomainChecks } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { listMails } from "../harness/mail/mails.ts";
import { addPerson, isAlive, type Person, signInToApplication } from "../harness/people/people.ts";
import { mailedCode } from "../harness/people/registration.ts";
import { completeMfa, enrollTotp, MFA, nextCode } from "../harness/people/second-factors.ts";
import { openStage } from "../harness/providers/third-party.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";

const DOMAIN = "enforced.example";
const AUTH = "/api/v1/auth";
const problem = { accept: "application/problem+json" };
const dns = await startNameServer();
const USERS = [
	{ sub: "unstated", email: `unstated@${DOMAIN}` },
	{ sub: "denied", email: `denied@${DOMAIN}`, email_verified: false },
	{ sub: "worker", email: `worker@${DOMAIN}`, email_verified: true },
	{ sub: "stranger", email: `stranger@${DOMAIN}`, email_verified: true },
	{ sub: "rival", email: `rival@${DOMAIN}`, email_verified: true },
	{ sub: "outside", email: "outside@elsewhere.example", email_verified: true },
	{ sub: "reviewer", email: `reviewer@${DOMAIN}`, email_verified: true },
	{ sub: "mover", email: `mover@${DOMAIN}`, email_verified: true },
	{ sub: "stepper", email: `stepper@${DOMAIN}`, email_verified: true },
];
const stage = fixture(() => openStage(USERS, { nameServers: [dns.address] }));
let issuer: { readonly id: string };
setup(async () => {
	issuer = await stage.addProvider("corp", { sign_up: true });
	await stage.addProvider("open", { sign_up: true });
	await addVerifiedDomain(stage.service, dns, DOMAIN, { issuer_id: issuer.id });
});
after(async () => {
	await stage?.stop();
	await dns[Symbol.asyncDispose]();
});

const worker = async (name: string, fields: object = {}): Promise<Person> => {
	const email = `${name}@${DOMAIN}`;
	return { ...(await addPerson(stage.service, name, { email, email_verified: true, ...fields })), email };
};
const post = async (path: string, body: object) => {
	const response = await stage.service.call<{ code?: string }>("POST", `${AUTH}${path}`, {
		body,
		headers: problem,
	});
	return [response.status, response.body?.code];
};
const enforce = (isOn: boolean) => stage.service.asAdmin("PATCH", `${DOMAINS}/${DOMAIN}`, { enforce: isOn });
const ENFORCED = [403, "sign_in.enforced"];

describe("the word of an issuer with a verified domain", () => {
	it("counts for the addresses of the domain only, and there without email_verified, too", async () => {
		const { body } = await stage.signIn("corp", "unstated");
		assert.deepEqual([body.data.user.email, body.data.user.email_verified], [`unstated@${DOMAIN}`, true]);
		await worker("worker");
		assert.equal((await stage.signIn("corp", "worker")).body.data.user.username, "worker");
		await addPerson(stage.service, "outside", { email: "outside@elsewhere.example", email_verified: true });
		for (const sub of ["outside"])
			assert.equal(await stage.comeBack("corp", sub), "error=sign_up_not_allowed");
		const denied = await stage.signIn("corp", "denied");
		assert.equal(denied.body.data.user.email_verified, false);
	});

	it("joins no one with a role", async () => {
		await worker("reviewer", { roles: ["reviewer"] });
		assert.equal(await stage.comeBack("corp", "reviewer"), "error=account_exists");
	});
});

describe("an enforced domain", () => {
	let person: Person;
	it("refuses every other way, alike for addresses without an account", async () => {
		const { service } = stage;
		person = await worker("twelve");
		const invited = await service.asAdmin("POST", "/api/v1/users", {
			username: "invitee",
			email: `invitee@${DOMAIN}`,
			invite: true,
		});
		const inviteToken = await mailedToken(service, invited.email, "invite");
		await service.asAdmin("PATCH", `/api/v1/tenants/${invited.tenant_id}`, { mailed_code: true });
		const sent = await service.call("POST", `${AUTH}/login/send-code`, {
			body: { email: `other@${DOMAIN}` },
		});
		const { attempt } = sent.body.data;
		await stage.signIn("open", "rival");
		await enforce(true);
		const { username, email, password } = person;
		const unknown = `unknown@${DOMAIN}`;
		const ways: readonly [string, () => Promise<readonly unknown[]>][] = [
			["password and address", () => post("/login", { username: email, password })],
			["password and address in capitals", () => post("/login", { username: email.toUpperCase(), password })],
			["password and username", () => post("/login", { username, password })],
			["a wrong password", () => post("/login", { username: email, password: "wrong password" })],
			[
				"a wrong password and address in capitals",
				() => post("/login", { username: ` ${email.toUpperCase()} `, password: "wrong password" }),
			],
			["an unknown address in capitals", () => post("/login", { username: unknown.toUpperCase(), password })],
			["an unknown address", () => post("/login", { username: unknown, password })],
			["a mailed code", () => post("/login/send-code", { email })],
			["a mailed code to an unknown address", () => post("/login/send-code", { email: unknown })],
			["a code mailed before", () => post("/login/code", { attempt, code: "123456" })],
			["registration", () => post("/register/send-code", { email: unknown })],
			[
				"registration with a code",
				() => post("/register", { username: "newcomer", email: unknown, password, code: "123456" }),
			],
			["an invitation", () => post("/invite/accept", { token: inviteToken, password })],
			["the username in capitals", () => post("/login", { username: username.toUpperCase(), password })],
		];
		for (const [name, way] of ways) assert.deepEqual(await way(), ENFORCED, name);
		assert.equal(await stage.comeBack("open", "stranger"), "error=sign_in_enforced");
		const linked = await stage.signIn("open", "rival");
		assert.deepEqual([linked.status, (linked.body as { code?: string }).code], [403, undefined]);
		const wrong = await post("/login", { username, password: "wrong password" });
		assert.deepEqual(wrong, [401, "credentials.invalid"], "a username reveals nothing");
	});

	it("takes the account of the organization", async () => {
		assert.equal((await stage.signIn("corp", "worker")).status, 200);
	});

	it("mails neither resets nor invitations, and tells only administrators", async () => {
		const { service } = stage;
		const mailsOf = async () => (await listMails(service, `to=${person.email}`)).length;
		const before = await mailsOf();
		for (const email of [person.email, `unknown@${DOMAIN}`])
			assert.deepEqual(await post("/password/forgot", { email }), [202, undefined]);
		assert.equal(await mailsOf(), before);
		const call = (method: string, path: string, body?: object) =>
			service.callAsAdmin<{ code?: string }>(method, path, { body, headers: problem });
		const reset = await call("POST", `/api/v1/users/${person.id}/send-reset`);
		assert.deepEqual([reset.status, reset.body?.code], [409, "user.reset_unusable"]);
		const invite = { username: "late", email: `late@${DOMAIN}`, invite: true };
		const invited = await call("POST", "/api/v1/users", invite);
		assert.deepEqual([invited.status, invited.body?.code], [409, "user.invite_unusable"]);
	});

	it("lets administrators in with their password, and hides which address is theirs", async () => {
		const chief = await worker("chief", { roles: ["admin"] });
		const { email, password, username } = chief;
		assert.equal((await post("/login", { username: email, password }))[0], 200);
		assert.equal((await post("/login", { username, password }))[0], 200);
		assert.deepEqual(await post("/login", { username: email, password: "wrong password" }), ENFORCED);
	});

	it("lets no one leave the domain with another address", async () => {
		const { service } = stage;
		await enforce(false);
		const { password } = await worker("mover");
		const { access_token: token } = (await stage.signIn("corp", "mover")).body.data;
		const email = "mover@elsewhere.example";
		const change = async (path: string, body: object) => {
			const url = `/api/v1/users/me/email${path}`;
			const response = await service.call<{ code?: string }>("POST", url, { token, body, headers: problem });
			return [response.status, response.body?.code];
		};
		assert.equal((await change("", { email, current_password: password }))[0], 200);
		const code = await mailedCode(service, email);
		await enforce(true);
		assert.deepEqual(await change("/confirm", { email, code }), ENFORCED);
		assert.deepEqual(await change("", { email, current_password: password }), ENFORCED);
	});

	it("takes a second factor in a session that began at the issuer", async () => {
		const { service } = stage;
		await enforce(false);
		const person = await worker("stepper");
		await enforce(true);
		const { access_token: token } = (await stage.signIn("corp", "stepper")).body.data;
		const { secret } = await enrollTotp(service, { ...person, token });
		const due = await service.call("POST", `${MFA}/step-up`, { token, body: {} });
		assert.equal(due.status, 200, JSON.stringify(due.body));
		const done = await completeMfa(service, due.body.data.mfa_token, "totp", nextCode(service, secret));
		assert.equal(done.status, 200, JSON.stringify(done.body));
	});

	it("ends the sessions of whom an administrator moves into it, and of administrators who lose their role", async () => {
		const { service } = stage;
		const [moved, demoted] = [
			await addPerson(service, "moved", { email_verified: true }),
			await worker("demoted", { roles: ["admin"] }),
		];
		const app = await signInToApplication(service, moved);
		await service.asAdmin("PATCH", `/api/v1/users/${moved.id}`, { display_name: "Moved" });
		await service.asAdmin("PATCH", `/api/v1/users/${demoted.id}`, { roles: ["admin", "auditor"] });
		for (const token of [moved.token, app, demoted.token]) assert.equal(await isAlive(service, token), true);
		await service.asAdmin("PATCH", `/api/v1/users/${moved.id}`, { email: `moved@${DOMAIN}` });
		await service.asAdmin("PATCH", `/api/v1/users/${demoted.id}`, { roles: ["auditor"] });
		for (const token of [moved.token, app, demoted.token]) assert.equal(await isAlive(service, token), false);
	});

	it("ends the session in which its user takes an address of it", async () => {
		const { service } = stage;
		const { token, password: current_password } = await addPerson(service, "joiner");
		const email = `joiner@${DOMAIN}`;
		const change = (path: string, body: object) =>
			service.call("POST", `/api/v1/users/me/email${path}`, { token, body });
		assert.equal((await change("", { email, current_password })).status, 200);
		const code = await mailedCode(service, email);
		assert.equal((await change("/confirm", { email, code })).status, 200);
		assert.equal(await isAlive(service, token), false);
	});

	it("ends the sessions that began elsewhere, and keeps others, when it is switched on", async () => {
		const { service } = stage;
		await enforce(false);
		const people = await Promise.all(["ends-one", "ends-two"].map((name) => worker(name)));
		const chief = await worker("chief-two", { roles: ["admin"] });
		const elsewhere = await addPerson(service, "elsewhere");
		const { access_token } = (await stage.signIn("corp", "worker")).body.data;
		await enforce(true);
		for (const { token } of people) assert.equal(await isAlive(service, token), false);
		for (const token of [access_token, chief.token, elsewhere.token])
			assert.equal(await isAlive(service, token), true);
	});
});

it("gives an issuer no further addresses when its domain is lost", async () => {
	const { id } = await stage.addProvider("second", { sign_up: true });
	const { record } = await addVerifiedDomain(stage.service, dns, "lost.example", { issuer_id: id });
	dns.set(record.name, []);
	for (const days of [4, 32]) await runDomainChecks(stage.service, dns, days * DAY_MS);
	const { verified_at } = await stage.service.asAdmin("GET", `${DOMAINS}/lost.example`);
	assert.equal(verified_at, null);
	assert.equal(await stage.comeBack("second", "outside"), "error=sign_up_not_allowed");
});
