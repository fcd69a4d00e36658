// Who gets past the Bearer guard: tried on GET /api/v1/users/me, which does nothing but pass it. Forged tokens: test/wire/forged-tokens.test.ts.

import assert from "node:assert/strict";
import net from "node:net";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson, type Person, signInAgain } from "../../harness/people.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

const ME = "/api/v1/users/me";

describe("Bearer tokens", () => {
	let service: TestService;
	let person: Person;
	before(async () => {
		service = await startTestService();
		person = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const me = (authorization: string | string[]): Promise<Answer> =>
		service.call("GET", ME, { headers: { authorization } });
	const assertRefused = (answer: Answer, what = ""): void => {
		assert.equal(answer.status, 401, what);
		assert.equal(answer.headers["www-authenticate"], "Bearer", what);
		assert.deepEqual(Object.keys(answer.body), ["error"], what);
	};

	it("takes the scheme in any case, and more than one space after it", async () => {
		for (const scheme of ["Bearer", "bearer", "BEARER"])
			assert.equal((await me(`${scheme} ${person.token}`)).status, 200);
		assert.equal((await me(`Bearer   ${person.token}`)).status, 200);
	});

	it("refuses a missing, empty or differently formed header", async () => {
		assertRefused(await service.call("GET", ME));
		for (const value of [
			"",
			"Bearer",
			"Bearer ",
			person.token,
			`Basic ${person.token}`,
			`Bearer ${person.token} ${person.token}`,
			`Bearer ${person.token},`,
			`Bearer: ${person.token}`,
			`Bearer\t${person.token}`,
			`Bearer "${person.token}"`,
		])
			assertRefused(await me(value), value.slice(0, 20));
	});

	it("refuses two Authorization headers, even two good ones", async () => {
		assertRefused(await me([`Bearer ${person.token}`, `Bearer ${person.token}`]));
		const raw = `GET ${ME} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.token}\r\nauthorization: Bearer x\r\nConnection: close\r\n\r\n`;
		assert.match(await exchange(service.httpPort, raw), /^HTTP\/1\.1 401 /);
	});

	it("refuses a token in the query or in a cookie", async () => {
		assertRefused(await service.call("GET", `${ME}?access_token=${person.token}`));
		assertRefused(await service.call("GET", ME, { headers: { cookie: `access_token=${person.token}` } }));
	});

	it("refuses a token at its fifteenth minute, also one it knows well", async () => {
		const token = await signInAgain(service, person);
		assert.equal((await me(`Bearer ${token}`)).status, 200);
		service.clock.advance(15 * MINUTE_MS - 5_000);
		assert.equal((await me(`Bearer ${token}`)).status, 200);
		service.clock.advance(5_000);
		assertRefused(await me(`Bearer ${token}`));
	});

	it("refuses the token of a disabled and of a deleted user at once", async () => {
		const admin = await service.tokenOf("admin", "correct horse battery staple");
		for (const [name, method, body] of [
			["disabled", "PATCH", { status: "disabled" }],
			["deleted", "DELETE", undefined],
		] as const) {
			const { id } = await addUserAs(admin, name);
			const token = await service.tokenOf(name, `the long password of ${name}`);
			assert.equal((await me(`Bearer ${token}`)).status, 200);
			await service.call(method, `/api/v1/users/${id}`, { token: admin, body });
			assertRefused(await me(`Bearer ${token}`), name);
		}
	});

	it("checks the current roles, not those at sign-in", async () => {
		const admin = await service.tokenOf("admin", "correct horse battery staple");
		const { id } = await addUserAs(admin, "rising");
		const token = await service.tokenOf("rising", "the long password of rising");
		const users = () => service.call("GET", "/api/v1/users", { token });
		const refused = await users();
		assert.equal(refused.status, 403);
		assert.equal(refused.headers["www-authenticate"], undefined);
		await service.call("PATCH", `/api/v1/users/${id}`, { token: admin, body: { roles: ["auditor"] } });
		assert.equal((await users()).status, 200);
		await service.call("PATCH", `/api/v1/users/${id}`, { token: admin, body: { roles: [] } });
		assert.equal((await users()).status, 403);
	});

	async function addUserAs(token: string, username: string): Promise<{ readonly id: string }> {
		const body = {
			username,
			email: `${username}@people.example`,
			password: `the long password of ${username}`,
		};
		const answer = await service.call("POST", "/api/v1/users", { token, body });
		assert.equal(answer.status, 201);
		return answer.body.data;
	}
});

/** One raw request and everything that comes back. */
function exchange(port: number, request: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = net.connect(port, "127.0.0.1", () => socket.write(request));
		let answer = "";
		socket.setEncoding("utf8");
		socket.on("data", (chunk) => {
			answer += chunk;
		});
		socket.on("end", () => resolve(answer));
		socket.on("error", reject);
	});
}
