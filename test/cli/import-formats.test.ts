import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runCommand } from "../harness/processes/command.ts";
import type { Exit } from "../harness/processes/program.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { commandSettings } from "../harness/service/service-database.ts";

/** "correct horse" was hashed by Python's hashlib and by its package `cryptography`. */
const SECRET = "correct horse";
const SALT = "c2l4dGVlbi1ieXRlLXNsdA==";
const BCRYPT = "$2b$04$hZrKrOFm/0MMwG7OVfw0wO3Y8F0N17f1Bx15PWc1c0PkncmNif8ve";
const ARGON2 = "B+2oTiwwzM+b9kD38u2PU0Wjk9BZTidA5dNvc4vWdkE=";
const PBKDF2_SHA512 =
	"nfp60zzgB+CixufLnT5XPRY0W6gDM8+GGDzmNoZKriVKcmKztnuRHr9I/TXba7NT4dMdMt0MkMYqXUCqd8Hlrw==";
const PBKDF2_SHA256 =
	"NAX2Hh4LfIdWAQaEAIe56RpFFAJDblOQFiVDs0tpkHkiD0/hD/6440dQCv7Ax1IXE/nwzHn1k66IqfGSnmdenw==";
const SCRYPT_HEX =
	"99084d4abe512e3d803a1eb320944e235552a8dc927c2c5024df42cf3acf7373aa90b149bdac93e36e60a12bcd08b0d5e291acf5fc166159023ac0f1bb0abb92";
/** The example of Firebase's own scrypt utility; its password is "user1password". */
const HASH_CONFIG = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;
const FIREBASE = {
	passwordHash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
	salt: "42xEC+ixf3L2lw==",
};

/** A user of Keycloak, as in an export. */
function keycloakUser(name: string, value: string, credentialData: unknown, more: object = {}) {
	const secretData = JSON.stringify({ value, salt: SALT, additionalParameters: {} });
	const password = { type: "password", secretData, credentialData: JSON.stringify(credentialData) };
	const totp = { type: "otp", secretData: "{}", credentialData: "{}" };
	return {
		id: "2f1c4f0e-6ad0-4d4f-9d0e-1f1f5a3a1b0c",
		username: name,
		email: `${name}@kc.example`,
		emailVerified: true,
		firstName: "Ada",
		lastName: "Lovelace",
		enabled: true,
		createdTimestamp: 1_582_974_000_000,
		credentials: [totp, password],
		realmRoles: ["admin"],
		...more,
	};
}

const ARGON2_DATA = {
	hashIterations: 5,
	algorithm: "argon2",
	additionalParameters: {
		hashLength: ["32"],
		memory: ["7168"],
		type: ["id"],
		version: ["1.3"],
		parallelism: ["1"],
	},
};

describe("latchkey import, files of other systems", () => {
	const service = testService();
	const settings = fixture(async () => ({
		LATCHKEY_BCRYPT_COST: "10",
		...(await commandSettings(service.dataDir)),
	}));

	const run = (input: string, ...args: string[]): Promise<Exit> =>
		runCommand(["import", "-", ...args], { env: settings, input });
	const find = async (q: string) => {
		const token = await service.adminToken();
		const [user] = (await service.call("GET", `/api/v1/users?q=${encodeURIComponent(q)}`, { token })).body
			.data;
		assert.ok(user, q);
		return user;
	};
	const signInStatus = async (username: string, password = SECRET): Promise<number> =>
		(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).status;

	test("Keycloak: a realm with every kind of hash", async () => {
		const users = [
			keycloakUser("kc-argon2", ARGON2, ARGON2_DATA),
			keycloakUser("kc-512", PBKDF2_SHA512, { hashIterations: 210_000, algorithm: "pbkdf2-sha512" }),
			keycloakUser("kc-256", PBKDF2_SHA256, { hashIterations: 27_500, algorithm: "pbkdf2-sha256" }),
			keycloakUser("kc-off", ARGON2, ARGON2_DATA, { enabled: false }),
			keycloakUser("kc-mail@kc.example", ARGON2, ARGON2_DATA, { email: "kc-mail@kc.example" }),
			{ username: "kc-bare", email: "kc-bare@kc.example" },
			keycloakUser("kc-sha1", PBKDF2_SHA256, { hashIterations: 20_000, algorithm: "pbkdf2" }),
			keycloakUser("kc-argon2i", ARGON2, {
				...ARGON2_DATA,
				additionalParameters: { ...ARGON2_DATA.additionalParameters, type: ["i"] },
			}),
			keycloakUser("kc-huge", ARGON2, {
				...ARGON2_DATA,
				additionalParameters: { ...ARGON2_DATA.additionalParameters, memory: ["4194304"] },
			}),
			{ username: "service-account-x", serviceAccountClientId: "x" },
			keycloakUser("kc ü", ARGON2, ARGON2_DATA, { email: "kc-u@kc.example" }),
			keycloakUser("kc-broken", ARGON2, ARGON2_DATA, {
				credentials: [{ type: "password", secretData: "{" }],
			}),
		];
		const realm = JSON.stringify(
			{ id: "x", realm: "demo", roles: { realm: [] }, users, groups: [] },
			null,
			2,
		);
		const done = await run(realm);
		assert.deepEqual(
			[done.code, done.stdout],
			[1, "format keycloak: 6 imported, 0 already present, 6 refused\n"],
		);
		assert.deepEqual(
			done.stderr
				.trimEnd()
				.split("\n")
				.map((line) => line.replace(/^line \d+: /, "")),
			[
				"credentials must have the algorithm argon2, pbkdf2-sha256 or pbkdf2-sha512",
				"credentials must have the type id and the version 1.3 of argon2",
				"credentials must have m from 8 to 131072 KiB",
				"email is required",
				"username must match ^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$",
				"credentials must have secretData, a JSON object as text",
			],
		);
		for (const name of ["kc-argon2", "kc-512", "kc-256", "kc-mail@kc.example"]) {
			assert.equal(await signInStatus(name, "wrong horse"), 401, name);
			assert.equal(await signInStatus(name), 200, name);
			assert.equal(await signInStatus(name), 200, `${name}, replaced by bcrypt`);
		}
		assert.equal(await signInStatus("kc-off"), 403);
		const { display_name, email_verified, roles, created_at, mfa_enabled } =
			await find("kc-argon2@kc.example");
		assert.deepEqual(
			{ display_name, email_verified, roles, created_at, mfa_enabled },
			{
				display_name: "Ada Lovelace",
				email_verified: true,
				roles: [],
				created_at: "2020-02-29T11:00:00.000Z",
				mfa_enabled: false,
			},
		);
		assert.equal((await find("kc-mail@kc.example")).username, "kc-mail");
		const again = await run(realm, "--dry-run", "--json");
		const { imported, present, refused, format } = JSON.parse(again.stdout);
		assert.deepEqual(
			{ imported, present, refused, format },
			{ imported: 0, present: 6, refused: 6, format: "keycloak" },
		);
	});

	test("Auth0: the export, one user per line", async () => {
		const lines = [
			{
				_id: { $oid: "60425da93519d90068f82966" },
				email: "a0@auth.example",
				email_verified: true,
				passwordHash: BCRYPT,
			},
			{
				_id: { $oid: "60425dc43519d90068f82973" },
				email: "A0@other.example",
				name: "Ada",
				passwordHash: BCRYPT,
			},
			{ _id: { $oid: "60425dc43519d90068f82974" }, email: "b@auth.example", passwordHash: "$2b$10$short" },
		];
		const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
		const done = await run(input);
		assert.deepEqual(
			[done.code, done.stdout],
			[1, "format auth0: 2 imported, 0 already present, 1 refused\n"],
		);
		assert.match(done.stderr, /^line 3: password hash must be a bcrypt hash/);
		assert.equal(await signInStatus("a0@auth.example"), 200);
		assert.equal(await signInStatus("a0@other.example"), 200);
		assert.equal((await find("a0@auth.example")).username, "user-a0");
		const second = await find("a0@other.example");
		assert.match(second.username, /^user-a0-[0-9a-f]{8}$/);
		assert.equal(second.display_name, "Ada");
		assert.equal((await run(input)).stdout, "format auth0: 0 imported, 2 already present, 1 refused\n");
	});

	test("Auth0: a file of its bulk import, with custom hashes", async () => {
		const bare = (text: string): string => text.replace(/=+$/, "");
		const custom = (name: string, custom_password_hash: unknown) => ({
			username: name,
			email: `${name}@auth.example`,
			custom_password_hash,
		});
		const scrypt = {
			algorithm: "scrypt",
			hash: { value: SCRYPT_HEX, encoding: "hex" },
			salt: { value: "text salt", encoding: "utf8" },
			keylen: 64,
		};
		const done = await run(
			JSON.stringify([
				custom("a0-argon2", {
					algorithm: "argon2",
					hash: { value: `$argon2id$v=19$m=7168,t=5,p=1$${bare(SALT)}$${bare(ARGON2)}`, encoding: "utf8" },
				}),
				custom("a0-pbkdf2", {
					algorithm: "pbkdf2",
					hash: {
						value: `$pbkdf2-sha512$i=210000,l=64$${bare(SALT)}$${bare(PBKDF2_SHA512)}`,
						encoding: "utf8",
					},
				}),
				custom("a0-bcrypt", { algorithm: "bcrypt", hash: { value: BCRYPT } }),
				custom("a0-scrypt", scrypt),
				custom("a0-md5", {
					algorithm: "md5",
					hash: { value: "5f4dcc3b5aa765d61d8327deb882cf99", encoding: "hex" },
				}),
				custom("a0-cost", { ...scrypt, cost: 1_000 }),
				custom("a0-utf16", { ...scrypt, password: { encoding: "utf16le" } }),
				custom("a0-nohex", { ...scrypt, hash: { value: "xyz", encoding: "hex" } }),
			]),
		);
		assert.deepEqual(
			[done.code, done.stdout],
			[1, "format auth0: 4 imported, 0 already present, 4 refused\n"],
		);
		assert.deepEqual(done.stderr.trimEnd().split("\n"), [
			"line 1: password hash must have the algorithm argon2, bcrypt, pbkdf2 or scrypt",
			"line 1: password hash must have cost, a power of 2, and whole numbers blockSize and parallelization",
			"line 1: password hash must have the password encoding utf8",
			"line 1: password hash must have its hash in base64 or hex, matching its encoding",
		]);
		for (const name of ["a0-argon2", "a0-pbkdf2", "a0-bcrypt", "a0-scrypt"]) {
			assert.equal(await signInStatus(name, "wrong horse"), 401, name);
			assert.equal(await signInStatus(name), 200, name);
		}
	});

	test("Firebase: with the hash parameters of the project, which are stored nowhere", async () => {
		const config = join(service.dataDir, "hash-config.txt");
		writeFileSync(config, HASH_CONFIG);
		const users = [
			{
				localId: "a",
				email: "fb-1@fire.example",
				emailVerified: true,
				createdAt: "1582974000000",
				...FIREBASE,
			},
			{ localId: "b", email: "fb-2@fire.example", displayName: "Bo", disabled: true, providerUserInfo: [] },
			{ localId: "c", phoneNumber: "+4912345" },
			{ localId: "d", email: "fb-4@fire.example", passwordHash: "AAAA", salt: FIREBASE.salt },
		];
		const file = `{"users": [\n${users.map((user) => JSON.stringify(user)).join(",\n")}\n]}`;
		const without = await run(file);
		assert.deepEqual([without.code, /need --hash-config FILE/.test(without.stderr)], [2, true]);
		const done = await run(file, "--hash-config", config);
		assert.deepEqual(
			[done.code, done.stdout],
			[1, "format firebase: 2 imported, 0 already present, 2 refused\n"],
		);
		assert.deepEqual(done.stderr.trimEnd().split("\n"), [
			"line 4: email is required",
			"line 5: passwordHash must have as many bytes as the signer key (64)",
		]);
		const database = await service.openDatabase();
		const sql = "SELECT password_hash FROM users WHERE email = $1";
		const row = await database.queries.one<{ password_hash: string }>(sql, "fb-1@fire.example");
		await database.close();
		assert.match(row?.password_hash ?? "", /^\$firebase-scrypt\$ln=14,r=8,p=1\$/);
		assert.doesNotMatch(row?.password_hash ?? "", /lSrfV15c|jxspr8Ki/);
		assert.equal(await signInStatus("fb-1@fire.example", "user2password"), 401);
		assert.equal(await signInStatus("fb-1@fire.example", "user1password"), 200);
		assert.equal(await signInStatus("fb-1", "user1password"), 200);
		const { status, display_name } = await find("fb-2@fire.example");
		assert.deepEqual({ status, display_name }, { status: "disabled", display_name: "Bo" });
	});

	test("refuses hash parameters that are missing or invalid, and never repeats them", async () => {
		const file = '{"users":[{"localId":"a"}]}';
		const cases = [
			["", "has no algorithm"],
			[HASH_CONFIG.replace("SCRYPT", "STANDARD_SCRYPT"), "must have the algorithm SCRYPT"],
			[HASH_CONFIG.replace("rounds: 8", "rounds: 1000"), "must have rounds, a whole number from 1 to 999"],
			[HASH_CONFIG.replace("base64_signer_key", "signer"), "has no base64_signer_key"],
		] as const;
		for (const [index, [text, message]] of cases.entries()) {
			const config = join(service.dataDir, `hash-config-${index}.txt`);
			writeFileSync(config, text);
			const done = await run(file, "--hash-config", config);
			assert.deepEqual([done.code, done.stderr], [2, `latchkey: the file of --hash-config ${message}\n`]);
		}
	});

	test("--format sets the format, and an unknown one lists the allowed ones", async () => {
		const line = `${JSON.stringify({ email: "forced@auth.example" })}\n`;
		assert.match((await run(line)).stderr, /^line 1: username is required/);
		const forced = await run(line, "--format", "auth0");
		assert.equal(forced.stdout, "format auth0: 1 imported, 0 already present, 0 refused\n");
		const wrong = await run(line, "--format", "okta");
		const message = "latchkey: --format okta must be one of latchkey, keycloak, auth0, firebase\n";
		assert.deepEqual([wrong.code, wrong.stderr], [2, message]);
	});

	test("detects an export on a single line, and mistakes no import line for one", async () => {
		const realm = await run(JSON.stringify({ id: "x", realm: "demo", users: [] }));
		assert.equal(realm.stdout, "format keycloak: 0 imported, 0 already present, 0 refused\n");
		const line = await run(`${JSON.stringify({ id: "x", username: "with-id", email: "id@auth.example" })}\n`);
		assert.equal(line.stderr, "line 1: id is not a field of an imported user\n");
	});

	test("imports the complete users of a truncated file, and reports the truncation", async () => {
		const users = JSON.stringify([keycloakUser("kc-cut", ARGON2, ARGON2_DATA)]).slice(0, -1);
		const done = await run(`{"realm":"demo","users":${users},{"username":"kc`);
		assert.equal(done.stdout, "format keycloak: 1 imported, 0 already present, 1 refused\n");
		assert.equal(done.stderr, "line 1: it ends before the document does\n");
	});
});
