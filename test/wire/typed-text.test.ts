// What people type: email addresses with a domain in Unicode, and codes from other keyboards, at every door.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { QUEUE, submit } from "../harness/access/access-requests.ts";
import { problemOf } from "../harness/access/applications.ts";
import { setup, testService } from "../harness/runs/fixture.ts";

const service = testService();
let token: string;
setup(async () => {
	token = await service.adminToken();
});

const DOMAIN = "D\u00f6m\u00e4in.example";
const ASCII = "xn--dmin-moa0i.example";
const PASSWORD = "a password of the typed text";
const FULL_WIDTH = (code: string) =>
	code.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

describe("an email address with a domain in Unicode", () => {
	it("is the same as its ASCII form in registration, sign-in, and code, typed with other digits", async () => {
		const email = `Jo@${DOMAIN}`;
		const sent = await service.call("POST", "/api/v1/auth/register/send-code", { body: { email } });
		assert.equal(sent.status, 200);
		const [mail] = await service.mailsTo(`jo@${ASCII}`, 1);
		const code = /\b[0-9]{6}\b/.exec(mail?.text ?? "")?.[0] ?? assert.fail("no code");
		const typed = `${FULL_WIDTH(code.slice(0, 3))}\u2013${FULL_WIDTH(code.slice(3))}`;
		const body = { username: "joan", email: `jo@${ASCII}`, password: PASSWORD, code: typed };
		const registered = await service.call("POST", "/api/v1/auth/register", { body });
		assert.equal(registered.status, 201, JSON.stringify(registered.body));
		assert.equal(registered.body.data.email, `jo@${ASCII}`);
		for (const username of [email, `jo@${ASCII}`]) {
			const response = await service.call("POST", "/api/v1/auth/login", {
				body: { username, password: PASSWORD },
			});
			assert.equal(response.status, 200, username);
		}
		await service.call("POST", "/api/v1/auth/password/forgot", { body: { email } });
		assert.ok((await service.mailsTo(`jo@${ASCII}`, 2)).length >= 2);
	});

	it("is stored in ASCII by administrators and in access requests, and is found by either form", async () => {
		const user = await service.asAdmin("POST", "/api/v1/users", {
			username: "kim",
			email: `kim@${DOMAIN}`,
			password: PASSWORD,
		});
		assert.equal(user.email, `kim@${ASCII}`);
		const request = await submit(service, { email: `lee@${DOMAIN}` });
		assert.equal(request.email, `lee@${ASCII}`);
		for (const query of ["email=", "q="]) {
			const path = `/api/v1/users?${query}${encodeURIComponent(`kim@${DOMAIN}`)}` as "/api/v1/users";
			const { body } = await service.call("GET", path, { token });
			assert.deepEqual(
				body.data.map(({ id }) => id),
				[user.id],
				query,
			);
		}
		const q = encodeURIComponent(`lee@${DOMAIN}`);
		const { body } = await service.call("GET", `${QUEUE}?q=${q}`, { token });
		assert.deepEqual(
			body.data.map(({ id }) => id),
			[request.id],
		);
		const again = await service.call("POST", "/api/v1/access-requests", {
			body: { applicant_name: "Lee", email: `lee@${ASCII}`, project_name: "P", purpose: "Again." },
		});
		assert.equal(again.status, 409);
	});
});

describe("an email address whose domain ends in a number", () => {
	it("is refused at every door, because mail software writes it as an IP address", async () => {
		const doors: readonly (readonly [string, Record<string, unknown>])[] = [
			["/api/v1/auth/register/send-code", {}],
			["/api/v1/auth/register", { username: "num", password: PASSWORD, code: "123456" }],
			["/api/v1/auth/password/forgot", {}],
			["/api/v1/access-requests", { applicant_name: "N", project_name: "P", purpose: "Numbers." }],
			["/api/v1/users", { username: "num", password: PASSWORD }],
		];
		for (const [path, fields] of doors)
			for (const email of ["1@2.3", "a@0x7f.1", "a@example.0x7f", "ops@10.0.0.256"]) {
				const problem = await problemOf(service, "POST", path, { ...fields, email });
				assert.deepEqual([problem.status, problem.fields], [400, ["email"]], `${path} ${email}`);
			}
	});
});
