import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { EXIT_STATUS } from "../../src/cli/exit-status.ts";
import { problem } from "../../src/kernel/field-reason.ts";
import { addPerson } from "../harness/people/people.ts";
import { resetTokenFor } from "../harness/people/recovery.ts";
import { runProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type CallResponse, startTestService, type TestService } from "../harness/service/service.ts";

/** A breached password that is not in the list of common ones. */
const BREACHED = "winter-is-coming-1996-stark";
/** Looks the same but has different code points. */
const DECOMPOSED = "cafe\u0301-noir-du-matin";

const listed = (...passwords: readonly string[]): string =>
	passwords
		.map((text) => createHash("sha1").update(text.normalize("NFC")).digest("hex").toUpperCase())
		.sort()
		.map((hash) => `${hash}:3\r\n`)
		.join("");

describe("passwords known from a breach", () => {
	const folder = temporaryFolder();
	const path = join(folder.path, "breached.txt");
	let service: TestService;
	let token: string;
	before(async () => {
		writeFileSync(path, listed(BREACHED, DECOMPOSED));
		service = await startTestService({ env: { LATCHKEY_BREACHED_PASSWORDS: path } });
		token = await service.adminToken();
	});
	after(async () => {
		await service.stop();
		folder[Symbol.dispose]();
	});

	const user = (name: string, password: string): Record<string, unknown> => ({
		username: name,
		email: `${name}@people.example`,
		password,
	});
	const refused = ({ status, body }: CallResponse, field: string): void => {
		assert.equal(status, 400);
		assert.equal(body.code, "password.breached");
		assert.deepEqual(body.errors, [{ field, ...problem("password_breached") }]);
	};
	const call = (method: string, to: string, body: unknown, as = token): Promise<CallResponse> =>
		service.call(method, `/api/v1${to}`, {
			token: as,
			body,
			headers: { accept: "application/problem+json" },
		});

	test("are refused for new accounts, in every Unicode composition", async () => {
		for (const password of [BREACHED, DECOMPOSED, DECOMPOSED.normalize("NFC")])
			refused(await call("POST", "/users", user("grace", password)), "password");
		assert.equal((await call("POST", "/users", user("grace", `${BREACHED}!`))).status, 201);
	});

	test("are refused by every route that sets a password, and leave the old one unchanged", async () => {
		const person = await addPerson(service, "alan");
		refused(await call("PATCH", `/users/${person.id}`, { password: BREACHED }), "password");
		const change = { current_password: person.password, new_password: BREACHED };
		refused(await call("PUT", "/users/me/password", change, person.token), "new_password");
		const registration = { ...user("reg", BREACHED), code: "123456" };
		refused(await call("POST", "/auth/register", registration), "password");
		const token = await resetTokenFor(service, person.email);
		refused(await call("POST", "/auth/password/reset", { token, new_password: BREACHED }), "new_password");
		const tenant = { name: "T", slug: "t", admin: user("admin", BREACHED) };
		refused(await call("POST", "/tenants", tenant), "password");
		await service.tokenOf(person.username, person.password);
	});

	test("are refused by the CLI", async () => {
		const exit = await runProgram(
			["admin", "create", "--username", "ops", "--email", "ops@ops.example", "--password-stdin"],
			{ env: { LATCHKEY_DATA_DIR: service.dataDir, LATCHKEY_BREACHED_PASSWORDS: path }, input: BREACHED },
		);
		assert.deepEqual([exit.code, exit.stdout], [EXIT_STATUS.usage, ""]);
		assert.match(exit.stderr, /^latchkey: password appears in a known data breach/);
	});

	test("stop the first start before it changes anything", async () => {
		using empty = temporaryFolder();
		const env = {
			LATCHKEY_DATA_DIR: join(empty.path, "data"),
			LATCHKEY_BREACHED_PASSWORDS: path,
			LATCHKEY_ADMIN_PASSWORD: BREACHED,
		};
		const exit = await runProgram(["serve"], { env });
		assert.equal(exit.code, 1);
		assert.match(
			exit.stderr,
			/LATCHKEY_ADMIN_PASSWORD is not acceptable: password appears in a known data breach/,
		);
	});

	test("cannot be recognized without the list, so no password is accepted until it is available", async () => {
		rmSync(path);
		const response = await call("POST", "/users", user("linus", "a-password-nobody-has"));
		assert.deepEqual([response.status, response.headers["retry-after"]], [503, "5"]);
		assert.match(service.logs(), /ENOENT/);
		writeFileSync(path, listed(BREACHED));
		assert.equal((await call("POST", "/users", user("linus", "a-password-nobody-has"))).status, 201);
	});
});
