// Invitations: what a mailed link does, and what the user cannot do before opening it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { mailedToken } from "../../harness/access/access-requests.ts";
import { addPerson, auditOf, isAlive } from "../../harness/people/people.ts";
import { forgot } from "../../harness/people/recovery.ts";
import { requireMfa } from "../../harness/people/second-factors.ts";
import { testService } from "../../harness/runs/fixture.ts";

const USERS = "/api/v1/users";
const PASSWORD = "a long and winding password";
const PROBLEM = { accept: "application/problem+json" };

const service = testService();

const invite = async (username: string, fields = {}) => {
	const email = `${username}@people.example`;
	const body = { username, email, invite: true, ...fields };
	const response = await service.callAsAdmin("POST", USERS, { body });
	assert.equal(response.status, 201, JSON.stringify(response.body));
	return { ...response.body.data, link: await mailedToken(service, email, "invite") };
};
const accept = (token: string, fields: object = { password: PASSWORD }, headers = {}) =>
	service.call("POST", "/api/v1/auth/invite/accept", {
		body: { token, ...fields },
		headers: { ...PROBLEM, ...headers },
	});
const login = (username: string, password = PASSWORD) =>
	service.call("POST", "/api/v1/auth/login", { body: { username, password } });
const as = async <M extends "GET" | "PATCH" | "POST">(method: M, path: string, body?: unknown) =>
	service.callAsAdmin(method, path, { body, headers: PROBLEM });

describe("POST /api/v1/auth/invite/accept", () => {
	describe("200", () => {
		it("sets the password, verifies the address, makes the user active and signs in", async () => {
			const ada = await invite("ada", { roles: ["reviewer"], display_name: "A." });
			const response = await accept(ada.link, { password: PASSWORD, display_name: " Ada " });
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const { user, access_token } = response.body.data;
			const { id, username, status, email_verified, display_name, roles } = user;
			assert.deepEqual(
				{ id, username, status, email_verified, display_name, roles },
				{
					id: ada.id,
					username: "ada",
					status: "active",
					email_verified: true,
					display_name: "Ada",
					roles: ["reviewer"],
				},
			);
			const me = await service.call("GET", `${USERS}/me`, { token: access_token });
			assert.deepEqual(me.body.data, user);
			assert.equal((await login("ada")).status, 200);
			const events = await auditOf(service, `user:${ada.id}`);
			const accepted = events.find(({ action }) => action === "user.invite_accepted");
			assert.equal(accepted?.actor, `user:${ada.id}`);
			assert.deepEqual(accepted?.details, { status: "active", fields: ["display_name", "password"] });
			assert.ok(events.some(({ action }) => action === "user.signed_in"));
		});

		it("accepts another username, and stores the language of the request", async () => {
			const bea = await invite("bea");
			const fields = { password: PASSWORD, username: "beatrix" };
			const { body } = await accept(bea.link, fields, { "accept-language": "zh-CN" });
			assert.deepEqual([body.data.user.username, body.data.user.locale], ["beatrix", "zh-CN"]);
			assert.equal((await login("beatrix")).status, 200);
			assert.equal((await login("bea")).status, 401);
		});

		it("accepts one of concurrent uses", async () => {
			const cal = await invite("cal");
			const passwords = Array.from({ length: 5 }, (_, index) => `password number ${index}`);
			const responses = await Promise.all(passwords.map((password) => accept(cal.link, { password })));
			assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
			const winner = responses.findIndex(({ status }) => status === 200);
			assert.equal((await login("cal", passwords[winner])).status, 200);
		});

		it("requires no password of a user with an account at an enabled provider", async () => {
			const dan = await invite("dan");
			const provider = {
				provider: "corp",
				kind: "github",
				display_name: "Corp",
				client_id: "c",
				client_secret: "a secret",
				enabled: true,
			};
			assert.equal((await as("POST", "/api/v1/identity-providers", provider)).status, 201);
			const account = { provider: "corp", provider_user_id: "dan-1" };
			assert.equal((await as("POST", `${USERS}/${dan.id}/third-party-accounts`, account)).status, 201);
			const { status, body } = await accept(dan.link, {});
			assert.deepEqual([status, body.data.user.status], [200, "active"]);
		});

		it("returns an mfa_token if the tenant requires a second factor", async () => {
			const eve = await invite("eve");
			const admin = await service.adminToken();
			await requireMfa(service, true, admin);
			const { status, body } = await accept(eve.link);
			await requireMfa(service, false, admin);
			assert.deepEqual([status, body.data.mfa_required, body.data.enrolment_required], [200, true, true]);
			assert.equal("access_token" in body.data, false);
			assert.equal((await accept(eve.link)).status, 404);
		});
	});

	describe("400", () => {
		it("names the rule that the password or the username breaks, and keeps the link valid", async () => {
			const fay = await invite("fay");
			for (const [fields, code] of [
				[{}, "request.invalid"],
				[{ password: "short" }, "password.too_short"],
				[{ password: "password123" }, "password.too_common"],
				[{ password: fay.email }, "password.same_as_name"],
				[{ password: PASSWORD, username: "-" }, "request.invalid"],
			] as const) {
				const response = await accept(fay.link, fields);
				assert.deepEqual([response.status, response.body.code], [400, code], JSON.stringify(fields));
			}
			assert.equal((await accept(fay.link)).status, 200);
		});
	});

	describe("404", () => {
		it("returns the same response for unknown, malformed, used and expired links", async () => {
			const [gil, hal] = [await invite("gil"), await invite("hal")];
			assert.equal((await accept(gil.link)).status, 200);
			const responses = [await accept("none"), await accept(gil.link), await accept("x".repeat(43))];
			service.clock.advance(7 * DAY_MS);
			responses.push(await accept(hal.link));
			for (const { status, body } of responses)
				assert.deepEqual([status, body.code], [404, "invite.not_found"]);
		});

		it("refuses the link of a user who was disabled, activated, moved or deleted", async () => {
			const changes = [{ status: "disabled" }, { status: "active" }, { email: "moved@people.example" }];
			for (const [index, change] of changes.entries()) {
				const user = await invite(`changed-${index}`);
				assert.equal((await as("PATCH", `${USERS}/${user.id}`, change)).status, 200);
				assert.equal((await accept(user.link)).status, 404, JSON.stringify(change));
			}
			const gone = await invite("gone");
			await service.asAdmin("DELETE", `${USERS}/${gone.id}`);
			assert.equal((await accept(gone.link)).status, 404);
		});

		it("refuses a password-reset link, and the reset refuses an invitation link", async () => {
			const [ivy, joe] = [await invite("ivy"), await addPerson(service, "joe")];
			await forgot(service, joe.email);
			assert.equal((await accept(await mailedToken(service, joe.email, "reset"))).status, 404);
			const body = { token: ivy.link, new_password: PASSWORD };
			assert.equal((await service.call("POST", "/api/v1/auth/password/reset", { body })).status, 404);
			assert.equal((await accept(ivy.link)).status, 200);
		});
	});

	describe("409", () => {
		it("refuses a taken username, and keeps the link valid", async () => {
			const [kim, lea] = [await invite("kim"), await addPerson(service, "lea")];
			const response = await accept(kim.link, { password: PASSWORD, username: "LEA" });
			assert.deepEqual([response.status, response.body.code], [409, "username.taken"]);
			assert.equal(await isAlive(service, lea.token), true);
			assert.equal((await accept(kim.link)).status, 200);
		});
	});
});

describe("an invited user", () => {
	it("cannot sign in, and receives no link to set a password", async () => {
		const max = await invite("max");
		assert.equal((await login("max", "")).status, 400);
		assert.equal((await login("max")).status, 401);
		assert.equal((await forgot(service, max.email)).status, 202);
		assert.equal((await as("POST", `${USERS}/${max.id}/send-reset`)).status, 409);
		// The next mail to the address is the next invitation.
		assert.equal((await as("POST", `${USERS}/${max.id}/invite`)).status, 202);
		const subjects = (await service.mailsTo(max.email, 2)).map(({ subject }) => subject);
		assert.deepEqual(subjects, Array(2).fill("You are invited: your account “max”"));
	});

	it("is denied by access decisions, current and past", async () => {
		const nia = await invite("nia");
		const app = await as("POST", "/api/v1/applications", { name: "Open", access_policy: "open" });
		const question = { user_id: nia.id, app_id: (app.body as { data?: { id: string } }).data?.id };
		const explain = async (fields = {}) =>
			await service.asAdmin("POST", "/api/v1/access/explain", { ...question, ...fields });
		const at = new Date(service.clock.now()).toISOString();
		assert.deepEqual([(await explain()).allowed, (await explain()).reason], [false, "user_disabled"]);
		service.clock.advance(MINUTE_MS);
		assert.equal((await accept(nia.link)).status, 200);
		assert.equal((await explain()).allowed, true);
		assert.equal((await explain({ at })).reason, "user_disabled");
	});

	it("is listed as invited, even with a role", async () => {
		const oda = await invite("oda", { roles: ["admin"] });
		const { body } = await service.callAsAdmin("GET", `${USERS}?status=invited&role=admin`);
		assert.deepEqual(
			body.data.map(({ id }) => id),
			[oda.id],
		);
	});
});
