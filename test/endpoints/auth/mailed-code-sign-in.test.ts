// Sign-in with a mailed code.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { ABSENT_ID } from "../../harness/access/applications.ts";
import { addPerson, auditOf } from "../../harness/people/people.ts";
import { wrongCode } from "../../harness/people/registration.ts";
import { claimsOf, enrollTotp } from "../../harness/people/second-factors.ts";
import { testService } from "../../harness/runs/fixture.ts";

const SEND = "/api/v1/auth/login/send-code";
const SIGN_IN = "/api/v1/auth/login/code";
const METHODS = "/api/v1/auth/methods";

const service = testService(() => ({ atMs: Date.now() }));
const PROBLEM = { accept: "application/problem+json" };

async function tenantPath(): Promise<string> {
	return `/api/v1/tenants/${(await service.call("GET", METHODS)).body.data.tenant.id}`;
}

async function allow(mailed_code: boolean): Promise<void> {
	await service.asAdmin("PATCH", await tenantPath(), { mailed_code });
}

const send = (email: string, more: Record<string, unknown> = {}) =>
	service.call("POST", SEND, { body: { email, ...more }, headers: PROBLEM });
const signIn = (attempt: unknown, code: string) =>
	service.call("POST", SIGN_IN, { body: { attempt, code }, headers: PROBLEM });

/** The attempt, and the code in the newest of `count` mails to the address. */
async function codeFor(email: string, more: Record<string, unknown> = {}, count = 1) {
	const response = await send(email, more);
	assert.equal(response.status, 202, JSON.stringify(response.body));
	const mail = (await service.mailsTo(email.toLowerCase(), count)).findLast(({ subject = "" }) =>
		/sign-in code/.test(subject),
	);
	const code = /\b[0-9]{6}\b/.exec(mail?.text ?? "")?.[0];
	assert.ok(code);
	return { attempt: response.body.data.attempt, code };
}

describe("POST /api/v1/auth/login/send-code", () => {
	before(() => allow(true));

	describe("202", () => {
		it("returns the same for an address without an account, and mails nothing there", async () => {
			const person = await addPerson(service, "known");
			const [known, unknown] = await Promise.all([send(person.email), send("nobody@people.example")]);
			for (const { status, body, headers } of [known, unknown]) {
				const { attempt, ...rest } = body.data;
				assert.deepEqual([status, rest], [202, { expires_in: 600, resend_after: 60 }]);
				assert.equal(headers["cache-control"], "no-store");
				assert.match(attempt, /^[A-Za-z0-9_-]{43}\.\.[A-Za-z0-9_-]+$/);
			}
			assert.deepEqual(Object.keys(known.headers).sort(), Object.keys(unknown.headers).sort());
			const [mail] = await service.mailsTo(person.email);
			assert.match(mail?.subject ?? "", /^[0-9]{6} is your sign-in code$/);
			assert.match(mail?.text ?? "", /“known”/);
			assert.deepEqual(await service.mailsTo("nobody@people.example", 0), []);
			const [event] = (await auditOf(service, `user:${person.id}`)).slice(-1);
			assert.equal(event?.action, "user.sign_in_code_requested");
			assert.doesNotMatch(JSON.stringify(event), /[0-9]{6}@|known@/);
		});

		it("mails an address once a minute and five times an hour, whether or not it has an account", async () => {
			const person = await addPerson(service, "often");
			for (const email of [person.email, "often-absent@people.example"]) {
				const statuses: number[] = [];
				for (let count = 0; count < 6; count++) {
					statuses.push((await send(email)).status);
					if (count === 0) statuses.push((await send(email)).status);
					service.clock.advance(MINUTE_MS);
				}
				assert.deepEqual(statuses, [202, 429, 202, 202, 202, 202, 429]);
			}
		});

		it("mails neither platform admins nor disabled accounts", async () => {
			const disabled = await addPerson(service, "disabled");
			await service.asAdmin("PATCH", `/api/v1/users/${disabled.id}`, { status: "disabled" });
			const admin = (await service.callAsAdmin("GET", "/api/v1/users/me")).body;
			for (const email of [disabled.email, admin.data.email]) {
				assert.equal((await send(email)).status, 202);
				assert.ok(
					(await service.mailsTo(email, 0)).every(({ subject = "" }) => !/sign-in code/.test(subject)),
				);
			}
		});

		it("mails users with a system role only if they have a second factor", async () => {
			for (const role of ["admin", "reviewer", "auditor"]) {
				const plain = await addPerson(service, `plain-${role}`, { roles: [role] });
				assert.equal((await send(plain.email)).status, 202);
				const asked = (await auditOf(service, `user:${plain.id}`)).map(({ action }) => action);
				assert.ok(!asked.includes("user.sign_in_code_requested"), role);
				const factored = await enrollTotp(
					service,
					await addPerson(service, `factored-${role}`, { roles: [role] }),
				);
				const { attempt, code } = await codeFor(factored.email, {}, 2);
				const { status, body } = await signIn(attempt, code);
				assert.deepEqual([status, body.data.mfa_required, body.data.access_token], [200, true, undefined]);
				assert.equal(body.data.enrolment_required, false);
			}
		});
	});

	describe("403", () => {
		it("is refused in a tenant whose sign-in methods do not include it", async () => {
			const person = await addPerson(service, "off");
			await allow(false);
			try {
				assert.equal((await service.call("GET", METHODS)).body.data.mailed_code, false);
				const { status, body } = await send(person.email);
				assert.deepEqual([status, body.code], [403, "login.mailed_code_off"]);
			} finally {
				await allow(true);
			}
		});
	});
});

describe("POST /api/v1/auth/login/code", () => {
	before(() => allow(true));

	describe("200", () => {
		it("signs in with one factor, once", async () => {
			const ada = await addPerson(service, "ada");
			const { attempt, code } = await codeFor(ada.email.toUpperCase());
			const responses = await Promise.all(Array.from({ length: 8 }, () => signIn(attempt, code)));
			assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)]);
			const tokens = responses.find(({ status }) => status === 200)?.body.data;
			assert.ok(tokens !== undefined && "access_token" in tokens);
			assert.equal(claimsOf(tokens.access_token).sub, ada.id);
			const signedIn = (await auditOf(service, `user:${ada.id}`)).findLast(
				({ action }) => action === "user.signed_in",
			);
			assert.deepEqual(signedIn?.details.amr, ["otp"]);
		});

		it("keeps an attempt valid when another user requests a code for the address", async () => {
			const carl = await addPerson(service, "carl");
			const own = await codeFor(carl.email);
			service.clock.advance(MINUTE_MS);
			const other = await codeFor(carl.email, {}, 2);
			assert.equal((await signIn(other.attempt, wrongCode(other.code))).status, 400);
			assert.equal((await signIn(own.attempt, own.code)).status, 200);
		});

		it("requires the second factor of the account", async () => {
			const eve = await addPerson(service, "eve");
			const tenant = await tenantPath();
			await service.asAdmin("PATCH", tenant, { require_mfa: true });
			try {
				const { attempt, code } = await codeFor(eve.email);
				const { status, body } = await signIn(attempt, code);
				assert.deepEqual([status, body.data.mfa_required, body.data.access_token], [200, true, undefined]);
			} finally {
				await service.asAdmin("PATCH", tenant, { require_mfa: false });
			}
		});
	});

	describe("400", () => {
		it("refuses the code after five wrong ones, and records them", async () => {
			const bob = await addPerson(service, "bob");
			const { attempt, code } = await codeFor(bob.email);
			const wrong = await Promise.all(Array.from({ length: 20 }, () => signIn(attempt, wrongCode(code))));
			for (const { status, body } of [...wrong, await signIn(attempt, code)])
				assert.deepEqual([status, body.code], [400, "code.invalid"]);
			const failed = (await auditOf(service, `user:${bob.id}`)).filter(
				({ action }) => action === "user.sign_in_failed",
			);
			assert.deepEqual(
				failed.map(({ details }) => details.reason),
				Array(5).fill("code.invalid"),
			);
		});

		it("responds the same to an unknown address, an unreadable attempt, another attempt's code, and an expired code", async () => {
			const dan = await addPerson(service, "dan");
			const absent = (await send("absent@people.example")).body.data.attempt;
			const { attempt, code } = await codeFor(dan.email);
			const responses = [
				await signIn(absent, "123456"),
				await signIn("nonsense", code),
				await signIn(`x..${Buffer.from("\0b").toString("base64url")}`, code),
				await signIn("x.%00.YQ", code),
				await signIn(`${attempt.slice(0, -2)}AA`, code),
				await signIn(absent, code),
			];
			service.clock.advance(10 * MINUTE_MS);
			responses.push(await signIn(attempt, code));
			const shown = responses.map(({ status, body }) => ({ status, ...body, instance: "", request_id: "" }));
			for (const one of shown) assert.deepEqual(one, shown[0]);
			assert.deepEqual([shown[0]?.status, shown[0]?.code], [400, "code.invalid"]);
		});

		it("refuses a code of an address that the account no longer has, and of a new platform admin", async () => {
			const gus = await addPerson(service, "gus");
			const former = await codeFor(gus.email);
			await service.asAdmin("PATCH", `/api/v1/users/${gus.id}`, { email: "gus2@people.example" });
			assert.equal((await signIn(former.attempt, former.code)).status, 400);
			const hal = await addPerson(service, "hal");
			const { attempt, code } = await codeFor(hal.email);
			await service.asAdmin("PATCH", `/api/v1/users/${hal.id}`, { roles: ["platform_admin"] });
			assert.equal((await signIn(attempt, code)).status, 400);
		});

		it("refuses a code of a user who got a system role, or lost the second factor that it needs", async () => {
			for (const role of ["admin", "reviewer", "auditor"]) {
				const promoted = await addPerson(service, `promoted-${role}`);
				const earlier = await codeFor(promoted.email);
				await service.asAdmin("PATCH", `/api/v1/users/${promoted.id}`, { roles: [role] });
				assert.equal((await signIn(earlier.attempt, earlier.code)).status, 400, role);
			}
			const person = await enrollTotp(service, await addPerson(service, "reset", { roles: ["admin"] }));
			const { attempt, code } = await codeFor(person.email, {}, 2);
			await service.asAdmin("POST", `/api/v1/users/${person.id}/mfa/reset`);
			assert.equal((await signIn(attempt, code)).status, 400);
		});
	});

	describe("403", () => {
		it("reveals missing access to the application only with the correct code", async () => {
			const fay = await addPerson(service, "fay");
			const { attempt, code } = await codeFor(fay.email, { app_id: ABSENT_ID });
			assert.equal((await signIn(attempt, wrongCode(code))).status, 400);
			const refused = await signIn(attempt, code);
			assert.deepEqual([refused.status, refused.body.code], [403, "application.access_denied"]);
			assert.equal((await signIn(attempt, code)).status, 400);
		});

		it("is refused once the tenant no longer allows it", async () => {
			const ian = await addPerson(service, "ian");
			const { attempt, code } = await codeFor(ian.email);
			await allow(false);
			try {
				assert.equal((await signIn(attempt, code)).status, 403);
			} finally {
				await allow(true);
			}
		});
	});
});
