// `GET /installation` of a real process: the doctor it starts reads the same settings.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { temporaryFolder } from "../../harness/folder.ts";
import { ownSettings, type ReadyProgram, runProgram, startProgram } from "../../harness/program.ts";
import { ADMIN } from "../../harness/service.ts";
import type { BodyOf } from "../../harness/wire-body.ts";

const PATH = "/api/v1/installation";
type Installation = BodyOf<"GET", typeof PATH>;

describe("GET /api/v1/installation", () => {
	const folder = temporaryFolder();
	let env: Record<string, string>;
	let program: ReadyProgram;
	let token: string;
	before(async () => {
		env = { ...(await ownSettings(`${folder.path}/data`)), LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
		program = await startProgram({ env });
		const login = await fetch(`${program.httpUrl}/api/v1/auth/login`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(ADMIN),
		});
		const { data } = (await login.json()) as BodyOf<"POST", "/api/v1/auth/login">;
		token = data.access_token;
	});
	after(async () => {
		await program?.end();
		folder[Symbol.dispose]();
	});

	const get = (headers: Record<string, string> = { authorization: `Bearer ${token}` }): Promise<Response> =>
		fetch(`${program.httpUrl}${PATH}`, { headers });

	describe("200", () => {
		it("answers what the doctor says on the command line", async () => {
			const answer = await get();
			assert.equal(answer.status, 200);
			const { data } = (await answer.json()) as Installation;
			const doctor = await runProgram(["doctor", "--json"], { env });
			const names = doctor.stdout
				.trimEnd()
				.split("\n")
				.map((line) => JSON.parse(line).about);
			assert.deepEqual(
				data.checks.map(({ name }) => name),
				names,
			);
			assert.ok(names.includes("database") && names.includes("certificate"));
			for (const { status, detail } of data.checks) {
				assert.notEqual(status, "fail", detail);
				assert.ok(detail.length > 0);
			}
		});

		it("shows no password and no key", async () => {
			const text = await (await get()).text();
			assert.ok(!text.includes(ADMIN.password));
		});

		it("answers many callers at the same moment from one run", async () => {
			const answers = await Promise.all(Array.from({ length: 10 }, () => get()));
			assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
			const [first, ...others] = await Promise.all(answers.map((answer) => answer.text()));
			for (const other of others) assert.equal(other, first);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await get({})).status, 401);
		});
	});

	describe("403", () => {
		it("is for platform admins only", async () => {
			const post = (path: string, body: object, headers: Record<string, string> = {}) =>
				fetch(`${program.httpUrl}/api/v1${path}`, {
					method: "POST",
					headers: { "content-type": "application/json", ...headers },
					body: JSON.stringify(body),
				});
			const person = { username: "mere-admin", password: "a long password of an admin" };
			const fields = { ...person, email: "mere@people.example", roles: ["admin"] };
			assert.equal((await post("/users", fields, { authorization: `Bearer ${token}` })).status, 201);
			const login = (await (await post("/auth/login", person)).json()) as BodyOf<
				"POST",
				"/api/v1/auth/login"
			>;
			const answer = await get({ authorization: `Bearer ${login.data.access_token}` });
			assert.equal(answer.status, 403);
		});
	});
});
