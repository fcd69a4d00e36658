import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { testDatabase } from "../../../../test/harness/databases/database.ts";
import { createAccessTokens } from "../../../crypto/access-token.ts";
import { createPasswordHasher, type PasswordHasher } from "../../../crypto/password.ts";
import { generateSigningKey } from "../../../crypto/signing-key.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import { createAuthKeys } from "./auth-keys.ts";
import { PasswordAttempts } from "./password-attempts.ts";
import { signIn } from "./sign-in.ts";

type Needed = Parameters<typeof signIn>[0];

const RIGHT = "a right password";
const WRONG = "a wrong password";
/** Hashes by another system, of `RIGHT` and of a password of 112 bytes. */
const IMPORTED = "$scrypt$ln=4,r=8,p=1$c2l4dGVlbi1ieXRlLXNsdA$xJXNT0h4dw5dcesXURo0mxQ/8QaDwMupFtRUOiXtysM";
const LONG = "long password ".repeat(8);
const IMPORTED_LONG =
	"$argon2id$v=19$m=64,t=2,p=1$c2l4dGVlbi1ieXRlLXNsdA$ihtZaipl03wYb/BsV/L04cxNBDvDAHanTUxaXnyCqrs";

/** The real hasher at the lowest cost, with counts of its calls. */
function countingHasher(cost = 4) {
	const hasher = createPasswordHasher({ cost, threads: 1, queueLimit: 500 });
	const counts = { verified: 0, hashed: 0 };
	const passwords: PasswordHasher = {
		...hasher,
		hash: (plain, ip) => {
			counts.hashed++;
			return hasher.hash(plain, ip);
		},
		verify: (plain, hash, ip) => {
			counts.verified++;
			return hasher.verify(plain, hash, ip);
		},
		verifyAbsent: (plain, ip) => {
			counts.verified++;
			return hasher.verifyAbsent(plain, ip);
		},
	};
	return { passwords, counts };
}

describe("signIn", () => {
	const database = testDatabase();
	let base: Omit<Needed, "passwords">;
	let hash: string;
	before(async () => {
		const { db, clock, secretBox } = database;
		const accessTokens = createAccessTokens({
			issuer: "https://localhost",
			keys: [await generateSigningKey()],
			clock: clock.now,
		});
		const keys = createAuthKeys(secretBox);
		const wakeMail = () => undefined;
		base = {
			db,
			clock: clock.now,
			accessTokens,
			keys,
			wakeMail,
			signIns: { note: () => undefined, noteUse: () => undefined },
			statistics: { count: () => undefined, countFor: () => undefined },
			attempts: new PasswordAttempts({ db, clock: clock.now, passwords: { checkRoom: () => undefined } }),
		};
		hash = await createPasswordHasher({ cost: 4, threads: 1 }).hash(RIGHT, "");
	});

	const attempt = (deps: Needed, name: string, passwordPlain: string, ip = "192.0.2.1") =>
		signIn(
			deps,
			{ name, passwordPlain, appId: null },
			anonymousCaller(database.tenantId, { ...SYSTEM_ORIGIN, ip }),
		);
	const codeOf = (work: Promise<unknown>): Promise<ErrorCode | "ok"> =>
		work.then(
			() => "ok",
			(error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)),
		);

	it("runs one hash for a wrong password, an unknown name, and a locked account", async () => {
		await database.addUser({ username: "known", passwordHash: hash });
		const locked = await database.addUser({ username: "locked", passwordHash: hash });
		await database.db.transaction(async ({ loginFailures }) => {
			for (let failure = 0; failure < 100; failure++)
				await loginFailures.count(database.tenantId, `user:${locked.id}`, database.clock.now());
		});
		for (const [name, password] of [
			["known", WRONG],
			["unknown", WRONG],
			["unknown@people.example", WRONG],
			["locked", WRONG],
			["locked", RIGHT],
			// Longer than bcrypt reads: no password is this long, but the work is the same.
			["known", RIGHT.repeat(10)],
		] as const) {
			const { passwords, counts } = countingHasher();
			assert.equal(
				await codeOf(attempt({ ...base, passwords }, name, password)),
				"credentials.invalid",
				name,
			);
			assert.deepEqual(counts, { verified: 1, hashed: 0 }, name);
		}
	});

	it("runs at most five hashes for forty concurrent wrong passwords", async () => {
		await database.addUser({ username: "guessed", passwordHash: hash });
		for (const name of ["guessed", "guessed-unknown"]) {
			const { passwords, counts } = countingHasher();
			const codes = await Promise.all(
				Array.from({ length: 40 }, () => codeOf(attempt({ ...base, passwords }, name, WRONG))),
			);
			assert.equal(counts.verified, 5);
			assert.equal(codes.filter((code) => code === "credentials.invalid").length, 5);
			assert.equal(codes.filter((code) => code === "login.too_many").length, 35);
		}
	});

	it("accepts fifty concurrent correct passwords", async () => {
		await database.addUser({ username: "busy", passwordHash: hash });
		const { passwords } = countingHasher();
		const codes = await Promise.all(
			Array.from({ length: 50 }, () => codeOf(attempt({ ...base, passwords }, "busy", RIGHT))),
		);
		assert.deepEqual([...new Set(codes)], ["ok"]);
	});

	it("releases an attempt that the full hash queue refused", async () => {
		await database.addUser({ username: "unlucky", passwordHash: hash });
		const full = createPasswordHasher({ cost: 4, threads: 1 });
		const passwords: PasswordHasher = {
			...full,
			verify: () => Promise.reject(new AppError("service.overloaded", "too many")),
		};
		for (let refused = 0; refused < 10; refused++)
			assert.equal(await codeOf(attempt({ ...base, passwords }, "unlucky", RIGHT)), "service.overloaded");
		assert.equal(await codeOf(attempt({ ...base, passwords: full }, "unlucky", RIGHT)), "ok");
	});

	it("refuses the correct password after a hundred consecutive failures from any IP address, until they are cleared", async () => {
		const user = await database.addUser({ username: "hunted", passwordHash: hash });
		const { passwords } = countingHasher();
		const deps = { ...base, passwords };
		const guess = (failure: number) =>
			attempt(deps, failure % 2 === 0 ? "hunted" : user.email, WRONG, `198.51.100.${failure}`);
		for (let failure = 0; failure < 99; failure++)
			assert.equal(await codeOf(guess(failure)), "credentials.invalid");
		assert.equal(await codeOf(attempt(deps, "hunted", RIGHT)), "ok");
		for (let failure = 0; failure < 100; failure++)
			assert.equal(await codeOf(guess(failure)), "credentials.invalid");
		assert.equal(await codeOf(attempt(deps, "hunted", RIGHT)), "credentials.invalid");
		database.clock.advance(40 * 86_400 * SECOND_MS);
		assert.equal(await codeOf(attempt(deps, "hunted", RIGHT)), "credentials.invalid");
		await database.db.stores.loginFailures.clear(database.tenantId, `user:${user.id}`, "");
		assert.equal(await codeOf(attempt(deps, "hunted", RIGHT)), "ok");
		const page = await database.db.stores.audit.list(
			{ tenantId: database.tenantId, target: `user:${user.id}`, actions: ["user.password_locked"] },
			{ page: 1, pageSize: 20 },
		);
		assert.equal(page.total, 1);
	});

	it("rehashes the password when the cost was raised, even with concurrent sign-ins", async () => {
		const user = await database.addUser({ username: "old-hash", passwordHash: hash });
		const { passwords, counts } = countingHasher(5);
		const deps = { ...base, passwords };
		const codes = await Promise.all(
			Array.from({ length: 5 }, () => codeOf(attempt(deps, "old-hash", RIGHT))),
		);
		assert.deepEqual([...new Set(codes)], ["ok"]);
		const stored = await database.db.stores.users.findWithPassword(database.tenantId, user.id);
		assert.match(stored?.passwordHash ?? "", /^\$2b\$05\$/);
		const hashedSoFar = counts.hashed;
		assert.equal(await codeOf(attempt(deps, "old-hash", RIGHT)), "ok");
		assert.equal(counts.hashed, hashedSoFar);
	});

	it("replaces an imported hash with bcrypt at the first correct password, even with concurrent sign-ins", async () => {
		const user = await database.addUser({ username: "imported", passwordHash: IMPORTED });
		const { passwords } = countingHasher();
		const deps = { ...base, passwords };
		const stored = async () =>
			(await database.db.stores.users.findWithPassword(database.tenantId, user.id))?.passwordHash;
		assert.equal(await codeOf(attempt(deps, "imported", WRONG)), "credentials.invalid");
		assert.equal(await stored(), IMPORTED);
		const codes = await Promise.all(
			Array.from({ length: 5 }, () => codeOf(attempt(deps, "imported", RIGHT))),
		);
		assert.deepEqual([...new Set(codes)], ["ok"]);
		assert.match((await stored()) ?? "", /^\$2b\$04\$/);
		assert.equal(await codeOf(attempt(deps, "imported", RIGHT)), "ok");
		assert.equal(await codeOf(attempt(deps, "imported", WRONG)), "credentials.invalid");
	});

	it("keeps an imported hash whose password bcrypt would truncate", async () => {
		const user = await database.addUser({ username: "long-password", passwordHash: IMPORTED_LONG });
		const { passwords } = countingHasher();
		for (let count = 0; count < 2; count++)
			assert.equal(await codeOf(attempt({ ...base, passwords }, "long-password", LONG)), "ok");
		const cut = attempt({ ...base, passwords }, "long-password", LONG.slice(0, 72));
		assert.equal(await codeOf(cut), "credentials.invalid");
		const stored = await database.db.stores.users.findWithPassword(database.tenantId, user.id);
		assert.equal(stored?.passwordHash, IMPORTED_LONG);
	});

	it("opens no session if the password was changed or the account disabled during verification", async () => {
		const { passwords } = countingHasher();
		const another = await passwords.hash("another password", "");
		const changes = [
			[{ passwordHash: another }, hash],
			[{ status: "disabled" }, hash],
			[{ passwordHash: another }, IMPORTED],
			[{ status: "disabled" }, IMPORTED],
		] as const;
		for (const [index, [change, passwordHash]] of changes.entries()) {
			const user = await database.addUser({ username: `raced-${index}`, passwordHash });
			const slow: PasswordHasher = {
				...passwords,
				async verify(plain, stored, ip) {
					const right = await passwords.verify(plain, stored, ip);
					await database.db.transaction(({ users }) =>
						users.update(database.tenantId, user.id, change, database.clock.now()),
					);
					return right;
				},
			};
			assert.notEqual(await codeOf(attempt({ ...base, passwords: slow }, user.username, RIGHT)), "ok");
			const sessions = await database.db.stores.sessions.list(
				database.tenantId,
				user.id,
				database.clock.now(),
				{ page: 1, pageSize: 20 },
			);
			assert.equal(sessions.total, 0);
			const after = await database.db.stores.users.findWithPassword(database.tenantId, user.id);
			assert.equal(after?.passwordHash, "passwordHash" in change ? another : passwordHash);
		}
	});
});
