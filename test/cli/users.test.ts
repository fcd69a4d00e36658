import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { auditOf } from "../harness/people/people.ts";
import { runCommand } from "../harness/processes/command.ts";
import type { Exit } from "../harness/processes/program.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { commandSettings } from "../harness/service/service-database.ts";

/** "correct horse", hashed by PHP, by Python, and in the usual form. */
const HASH_TAIL = "$04$hZrKrOFm/0MMwG7OVfw0wO3Y8F0N17f1Bx15PWc1c0PkncmNif8ve";
const SECRET = "correct horse";
/** The same password in Latchkey's stored form and in those of other programs. */
const IMPORTED = [
	[
		"argon2id",
		"$argon2id$v=19$m=64,t=2,p=2$c2l4dGVlbi1ieXRlLXNsdA$+E3X8gb7c1IvXCN9vxubPMGjJ6YeB8dZ7Asi38Kn734",
	],
	["scrypt", "$scrypt$ln=14,r=8,p=1$c2l4dGVlbi1ieXRlLXNsdA$xRErUWVBnV/chXlCCkO9s7g5PfnweNJ5hNgzyLgilXQ"],
	["passlib", "$pbkdf2-sha256$29000$//79c2l4dGVlbi1ieXRl$midQDqi0GbPIvxLtqBhO9isQTOglPIpNuGT3ymT84zU"],
	["django", "pbkdf2_sha256$260000$Zx9k3LmPq2RtYv5w$s+VZcrz0dguGAat6/z9h4uVdWFEnZedjK3Y1TBt9r5s="],
] as const;
/** "long password " eight times: 112 bytes. */
const HASH_OF_LONG =
	"$argon2id$v=19$m=64,t=2,p=1$c2l4dGVlbi1ieXRlLXNsdA$ihtZaipl03wYb/BsV/L04cxNBDvDAHanTUxaXnyCqrs";

describe("latchkey import, beside a running service", () => {
	// The imported hashes have cost 4: a sign-in renews a hash whose cost is lower than that of the service.
	const service = testService({ env: { LATCHKEY_BCRYPT_COST: "10" } });
	const settings = fixture(async () => ({
		LATCHKEY_BCRYPT_COST: "10",
		...(await commandSettings(service.dataDir)),
	}));

	const path = (name: string): string => join(service.dataDir, name);
	const run = (args: readonly string[], input?: string): Promise<Exit> =>
		runCommand(["import", ...args], {
			env: settings,
			...(input === undefined ? {} : { input }),
		});
	const lines = (...people: readonly unknown[]): string =>
		people.map((person) => `${typeof person === "string" ? person : JSON.stringify(person)}\n`).join("");
	const find = async (q: string) => {
		const token = await service.adminToken();
		return (await service.call("GET", `/api/v1/users?q=${encodeURIComponent(q)}`, { token })).body.data;
	};

	const storedHash = async (email: string): Promise<string> => {
		const database = await service.openDatabase();
		const sql = "SELECT password_hash FROM users WHERE email = $1";
		const row = await database.queries.one<{ password_hash: string }>(sql, email);
		await database.close();
		return row?.password_hash ?? "";
	};

	test("imports users with all their fields, and audits each", async () => {
		const person = {
			username: "Ada.L",
			email: " Ada@People.Example ",
			email_verified: true,
			display_name: "Áda Løvelace",
			locale: "zh-CN",
			avatar_url: "https://people.example/ada.png",
			status: "disabled",
			roles: ["reviewer"],
			created_at: "2020-02-29T12:00:00+01:00",
			password_hash: `$2y${HASH_TAIL}`,
		};
		const { named, ...done } = await run(["-"], lines(person));
		assert.match(named ?? "", /latchkey\.db$|database PostgreSQL /);
		const counted = "1 imported, 0 already present, 0 refused\n";
		assert.deepEqual(done, { code: 0, signal: null, stdout: counted, stderr: "" });
		const [user] = await find("ada lovelace");
		assert.ok(user);
		const { id, tenant_id: _, updated_at: __, ...fields } = user;
		assert.deepEqual(fields, {
			username: "Ada.L",
			email: "ada@people.example",
			email_verified: true,
			display_name: "Áda Løvelace",
			avatar_url: "https://people.example/ada.png",
			status: "disabled",
			roles: ["reviewer"],
			locale: "zh-CN",
			mfa_enabled: false,
			disabled_reason: null,
			last_login_at: null,
			created_at: "2020-02-29T11:00:00.000Z",
		});
		const [event] = await auditOf(service, `user:${id}`);
		assert.deepEqual([event?.actor, event?.action], [`cli:${userInfo().username}`, "user.created"]);
		assert.doesNotMatch(JSON.stringify(event), /hZrKrOFm/);
	});

	for (const version of ["2a", "2b", "2y"])
		test(`signs in with the password of a $${version}$ hash, and renews the hash`, async () => {
			const email = `${version}@people.example`;
			const person = { username: `hashed-${version}`, email, password_hash: `$${version}${HASH_TAIL}` };
			assert.equal((await run(["-"], lines(person))).code, 0);
			await service.tokenOf(person.username, SECRET);
			const wrong = { username: person.username, password: "wrong horse" };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body: wrong })).status, 401);
			await service.tokenOf(email, SECRET);
			const stored = await storedHash(email);
			assert.match(stored, /^\$2b\$/);
			assert.notEqual(stored, person.password_hash);
		});

	for (const [name, hash] of IMPORTED)
		test(`signs in with the password of a hash of ${name}, and replaces it by bcrypt`, async () => {
			const email = `${name}@people.example`;
			assert.equal((await run(["-"], lines({ username: name, email, password_hash: hash }))).code, 0);
			const body = { username: name, password: "wrong horse" };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 401);
			await service.tokenOf(email, SECRET);
			assert.match(await storedHash(email), /^\$2b\$10\$/);
			await service.tokenOf(name, SECRET);
		});

	test("keeps an imported hash that bcrypt cannot replace, until the password is changed", async () => {
		const password = "long password ".repeat(8);
		const email = "long-password@people.example";
		const person = { username: "long-password", email, password_hash: HASH_OF_LONG };
		assert.equal((await run(["-"], lines(person))).code, 0);
		const token = await service.tokenOf(email, password);
		assert.equal(await storedHash(email), HASH_OF_LONG);
		const change = (current_password: string) =>
			service.call("PUT", "/api/v1/users/me/password", {
				token,
				body: { current_password, new_password: "quite another password" },
			});
		assert.equal((await change("wrong password")).status, 400);
		assert.equal((await change(password)).status, 200);
		assert.match(await storedHash(email), /^\$2b\$10\$/);
		await service.tokenOf(email, "quite another password");
	});

	test("imports users without a password, for whom no password works", async () => {
		assert.equal((await run(["-"], lines({ username: "nopass", email: "nopass@people.example" }))).code, 0);
		for (const password of ["nopassnopass", " "]) {
			const body = { username: "nopass", password };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 401);
		}
	});

	test("is safe to repeat: existing users stay unchanged", async () => {
		const person = { username: "again", email: "again@people.example", display_name: "First" };
		await run(["-"], lines(person));
		const done = await run(["-"], lines({ ...person, username: "AGAIN", display_name: "Second" }));
		assert.deepEqual([done.code, done.stdout], [0, "0 imported, 1 already present, 0 refused\n"]);
		const [user] = await find("again@people.example");
		assert.deepEqual([user?.username, user?.display_name], ["again", "First"]);
	});

	const refused: readonly (readonly [string, unknown, string])[] = [
		["no JSON", "{username", "line 1: it must be a JSON object on its own line"],
		["a list", "[]", "line 1: it must be an object"],
		["no e-mail", { username: "x-1" }, "line 1: email is required"],
		["an invalid email address", { username: "x-1", email: "x" }, "line 1: email must be"],
		["an invalid username", { username: "x", email: "x@x.example" }, "line 1: username must"],
		[
			"a misspelled field",
			{ username: "x-1", email: "x@x.example", passwordHash: "x" },
			"line 1: passwordHash is not a field",
		],
		[
			"a password",
			{ username: "x-1", email: "x@x.example", password: "x" },
			"line 1: password is not a field",
		],
		[
			"an unknown kind of hash",
			{ username: "x-1", email: "x@x.example", password_hash: "$argon2id$v=19$m=1" },
			"line 1: password_hash must have the parameter t",
		],
		[
			"a hash that needs 4 GiB",
			{
				username: "x-1",
				email: "x@x.example",
				password_hash: `$argon2id$v=19$m=4194304,t=1,p=1$c2l4dGVlbi1ieXRlLXNsdA$${"A".repeat(43)}`,
			},
			"line 1: password_hash must have m from 8 to 131072 KiB",
		],
		[
			"the hash of a faulty bcrypt",
			{ username: "x-1", email: "x@x.example", password_hash: `$2x${HASH_TAIL}` },
			"line 1: password_hash must be a bcrypt hash of the version 2a, 2b or 2y and a cost from 4 to 15",
		],
		[
			"a hash that takes hours",
			{ username: "x-1", email: "x@x.example", password_hash: `$2b$31${HASH_TAIL.slice(3)}` },
			"line 1: password_hash must be a bcrypt hash of the version 2a, 2b or 2y and a cost from 4 to 15",
		],
		[
			"a platform admin",
			{ username: "x-1", email: "x@x.example", roles: ["platform_admin"] },
			"line 1: roles.0 must be one of",
		],
		[
			"an invalid date",
			{ username: "x-1", email: "x@x.example", created_at: "2025-02-30T00:00:00Z" },
			"line 1: created_at must",
		],
		[
			"a taken username",
			{ username: "Admin", email: "x@x.example" },
			"line 1: username is already used by a user with another email address",
		],
		[
			"a taken email address",
			{ username: "x-1", email: "admin@localhost" },
			"line 1: email is already used by a user with another username",
		],
		[
			"a line that is too long",
			{ username: "x-1", email: "x@x.example", display_name: "x".repeat(70_000) },
			"line 1: it must be UTF-8 text of at most 65536 bytes",
		],
	];
	for (const [name, line, message] of refused)
		test(`refuses ${name}, imports the others, and never prints a hash`, async () => {
			const other = {
				username: `ok-${name.replaceAll(/\W/g, "")}`,
				email: `${name.replaceAll(/\W/g, "")}@people.example`,
			};
			const done = await run(["-"], lines(line, "", other));
			assert.deepEqual([done.code, done.stdout], [1, "1 imported, 0 already present, 1 refused\n"]);
			assert.ok(done.stderr.startsWith(message), done.stderr);
			assert.doesNotMatch(done.stderr, /hZrKrOFm|argon2id\$v/);
		});

	test("refuses text that is not UTF-8, and one of two users with the same name", async () => {
		const file = path("people.jsonl");
		const people = lines(
			{ username: "twin", email: "one@people.example" },
			{ username: "TWIN", email: "two@people.example" },
		);
		writeFileSync(
			file,
			Buffer.concat([Buffer.from('{"username":"\xff"}\n', "latin1"), Buffer.from(people.trimEnd())]),
		);
		const report = path("refused.jsonl");
		const done = await run([file, "--report", report]);
		assert.deepEqual(
			[done.code, done.stdout, done.stderr],
			[1, "1 imported, 0 already present, 2 refused\n", ""],
		);
		const reported = readFileSync(report, "utf8")
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		assert.deepEqual(
			reported.map(({ line, username }) => [line, username]),
			[
				[1, undefined],
				[3, "TWIN"],
			],
		);
		assert.equal(statSync(report).mode & 0o777, 0o600);
	});

	test("with --dry-run, reports what an import would do, and writes nothing", async () => {
		const person = (name: string, email = `${name}@people.example`) => ({ username: name, email });
		const first = [
			person("dry-1"),
			person("DRY-1"),
			person("dry-2", "dry-1@people.example"),
			person("dry-1", "dry-3@people.example"),
			person("admin", "x@x.example"),
			person("dry-4", "admin@localhost"),
			{ ...person("dry-5"), password_hash: "plain" },
			// In a different batch than the first line.
			...Array.from({ length: 200 }, (_, number) => person(`dry-many-${number}`)),
			person("dry-6", "dry-1@people.example"),
		];
		const input = lines(...first.map((each) => ({ ...each, display_name: "Dry" })));
		const before = await find("");
		const dry = await run(["-", "--dry-run"], input);
		const counted = "201 imported, 1 already present, 6 refused\n";
		assert.deepEqual([dry.code, dry.stdout], [1, `dry run, nothing written: ${counted}`]);
		assert.deepEqual(await find(""), before);
		const json = await run(["-", "--dry-run", "--json"], input);
		const counts = { dry_run: true, format: "latchkey", lines: 208, imported: 201, present: 1, refused: 6 };
		assert.deepEqual(JSON.parse(json.stdout), counts);
		const done = await run(["-"], input);
		assert.deepEqual([done.code, done.stdout, done.stderr], [1, counted, dry.stderr]);
		const again = await run(["-", "--dry-run"], input);
		assert.equal(again.stdout, "dry run, nothing written: 0 imported, 202 already present, 6 refused\n");
	});

	test("changes nothing for a missing file, an unknown tenant, or a report that cannot be written", async () => {
		const missing = await run([path("none.jsonl")]);
		assert.deepEqual(
			[missing.code, missing.stderr],
			[3, `latchkey: ${path("none.jsonl")} cannot be read (ENOENT)\n`],
		);
		const person = lines({ username: "nobody-1", email: "nobody@people.example" });
		const tenant = await run(["-", "--tenant", "none"], person);
		assert.deepEqual([tenant.code, tenant.stderr], [3, 'latchkey: there is no tenant "none"\n']);
		const report = await run(["-", "--report", path("no/such/folder")], person);
		assert.deepEqual([report.code, /cannot be written \(ENOENT\)/.test(report.stderr)], [3, true]);
		assert.deepEqual(await find("nobody@people.example"), []);
	});
});
