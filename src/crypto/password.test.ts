import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as bcrypt from "@node-rs/bcrypt";
import { parseBcryptHash } from "#bcrypt-lanes";
import { AppError, type ErrorCode } from "../kernel/error.ts";
import { checkPasswordPolicy, createPasswordHasher, normalizePassword, queueLimitFor } from "./password.ts";

const IP = "192.0.2.1";
const hasher = createPasswordHasher({ cost: 4, threads: 1 });
const LONG = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A hasher, and the costs of the bcrypt hashes that a call verifies against. */
function observedHasher(cost: number) {
	const costs: number[] = [];
	const onVerify = (hash: string) => void costs.push(Number(hash.slice(4, 6)));
	return {
		hasher: createPasswordHasher({ cost, threads: 1, onVerify }),
		async costsOf(verify: () => Promise<boolean>): Promise<number[]> {
			costs.length = 0;
			await verify();
			return [...costs];
		},
	};
}

function refused(code: ErrorCode, field: string, message: RegExp) {
	return (error: unknown) => {
		assert.ok(error instanceof AppError);
		assert.equal(error.code, code);
		assert.equal(error.kind, "invalid");
		assert.equal(error.fields[0]?.field, field);
		assert.match(error.fields[0]?.message ?? "", message);
		assert.match(error.message, message);
		return true;
	};
}

// [password, hash] of the jBCrypt test suite (D. Miller), crypt_blowfish's wrapper.c (Openwall) and the
// OpenBSD regression tests.
const known: [string, string][] = [
	["", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."],
	["a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"],
	["a", "$2a$08$cfcvVd2aQ8CMvoMpP2EBfeodLEkkFJ9umNEfPD18.hUF62qqlC/V."],
	["abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"],
	["abc", "$2a$10$WvvTPHKwdBJ3uk0Z37EMR.hLA2W6N9AEBhEgrAOljy2Ae5MtaSIUi"],
	["abcdefghijklmnopqrstuvwxyz", "$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC"],
	["~!@#$%^&*()      ~!@#$%^&*()PNBFRD", "$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO"],
	["U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
	["U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
	["U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
	["U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"],
	["U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"],
	[LONG, "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"],
	["0".repeat(72), "$2b$05$CCCCCCCCCCCCCCCCCCCCC.6.O1dLNbjod2uo0DVcW.jHucKbPDdHS"],
];

describe("known answers", () => {
	for (const [password, hash] of known) {
		test(`${hash.slice(0, 7)} ${JSON.stringify(password.slice(0, 12))}, ${password.length} bytes`, async () => {
			assert.equal(await hasher.verify(password, hash, IP), true);
			assert.equal(await hasher.verify(`${password.slice(0, -1)}#`, hash, IP), false);
			const { cost, salt } = parseBcryptHash(hash) ?? assert.fail();
			assert.equal(bcrypt.hashSync(password, cost, salt).slice(4), hash.slice(4));
		});
	}

	test("bytes above ASCII (Openwall): no sign extension", () => {
		const hash = "$2b$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq";
		assert.equal(bcrypt.verifySync(Uint8Array.of(0xa3), hash), true);
	});
});

describe("the library truncates at 72 bytes", () => {
	const hash = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui";

	test("silently: the rest makes no difference (Openwall's own vector)", () => {
		assert.equal(bcrypt.verifySync(`${LONG}chars after 72 are ignored`, hash), true);
		assert.equal(bcrypt.verifySync(LONG.slice(0, 71), hash), false);
	});

	test("so a longer password is neither accepted nor hashed", async () => {
		assert.equal(await hasher.verify(LONG, hash, IP), true);
		assert.equal(await hasher.verify(`${LONG}x`, hash, IP), false);
		await assert.rejects(hasher.hash(`${LONG}x`, IP), refused("password.too_long", "password", /72 bytes/));
	});
});

describe("hash and verify", () => {
	test("a hash is $2b$ with the given cost and a salt, and verifies", async () => {
		const hash = await hasher.hash("kx7Rm2vQp9Ld", IP);
		assert.match(hash, /^\$2b\$04\$[./A-Za-z0-9]{53}$/);
		assert.notEqual(await hasher.hash("kx7Rm2vQp9Ld", IP), hash);
		assert.equal(await hasher.verify("kx7Rm2vQp9Ld", hash, IP), true);
		assert.equal(await hasher.verify("kx7Rm2vQp9LD", hash, IP), false);
	});

	test("composed and decomposed accents are the same password", async () => {
		const hash = await hasher.hash("Cafe\u0301 au lait", IP);
		assert.equal(await hasher.verify("Caf\u00e9 au lait", hash, IP), true);
		assert.equal(normalizePassword("e\u0301"), "\u00e9");
		assert.equal(normalizePassword("ﬁ"), "ﬁ");
	});

	test("a password that the rules never allowed does not verify", async () => {
		const hash = await hasher.hash("\ufffd\ufffd\ufffd\ufffd", IP);
		assert.equal(await hasher.verify("\ud800\ud800\ud800\ud800", hash, IP), false);
		await assert.rejects(hasher.hash("abcdefgh\0ijkl", IP), refused("request.invalid", "password", /NUL/));
	});

	test("a stored text that is not a hash counts as a wrong password, not an error", async () => {
		for (const broken of ["", "!", "$2b$04$short", "plain"]) {
			assert.equal(await hasher.verify("kx7Rm2vQp9Ld", broken, IP), false);
			assert.equal(hasher.needsRehash(broken, "kx7Rm2vQp9Ld"), false);
		}
	});

	test("a hash with a lower cost still verifies right and wrong passwords", async () => {
		const cheap = await createPasswordHasher({ cost: 4, threads: 1 }).hash("correct horse", IP);
		const dear = createPasswordHasher({ cost: 6, threads: 1 });
		assert.equal(await dear.verify("correct horse", cheap, IP), true);
		assert.equal(await dear.verify("wrong horse", cheap, IP), false);
	});

	test("needsRehash: a lower cost or an older version", () => {
		const costs = createPasswordHasher({ cost: 11, threads: 1 });
		const rest = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
		assert.equal(costs.needsRehash(`$2b$10$${rest}`, "kx7Rm2vQp9Ld"), true);
		assert.equal(costs.needsRehash(`$2b$11$${rest}`, "kx7Rm2vQp9Ld"), false);
		assert.equal(costs.needsRehash(`$2b$12$${rest}`, "kx7Rm2vQp9Ld"), false);
		assert.equal(costs.needsRehash(`$2a$11$${rest}`, "kx7Rm2vQp9Ld"), true);
	});
});

describe("imported hashes", () => {
	const ARGON2 =
		"$argon2id$v=19$m=64,t=2,p=2$c2l4dGVlbi1ieXRlLXNsdA$+E3X8gb7c1IvXCN9vxubPMGjJ6YeB8dZ7Asi38Kn734";
	/** "long password " eight times: 112 bytes. */
	const ARGON2_OF_LONG =
		"$argon2id$v=19$m=64,t=2,p=1$c2l4dGVlbi1ieXRlLXNsdA$ihtZaipl03wYb/BsV/L04cxNBDvDAHanTUxaXnyCqrs";

	test("verify right and wrong passwords, and need a rehash with bcrypt", async () => {
		assert.equal(await hasher.verify("correct horse", ARGON2, IP), true);
		for (const wrong of ["wrong horse", "", "correct horse\0", "\ud800"])
			assert.equal(await hasher.verify(wrong, ARGON2, IP), false);
		assert.equal(hasher.needsRehash(ARGON2, "correct horse"), true);
	});

	test("a password that bcrypt would truncate is verified in full, and its hash is kept", async () => {
		const long = "long password ".repeat(8);
		assert.equal(await hasher.verify(long, ARGON2_OF_LONG, IP), true);
		assert.equal(await hasher.verify(long.slice(0, 72), ARGON2_OF_LONG, IP), false);
		assert.equal(hasher.needsRehash(ARGON2_OF_LONG, long), false);
	});

	test("wait in the same queue", async () => {
		const small = createPasswordHasher({ cost: 4, threads: 1, queueLimit: 0 });
		const [first, second] = await Promise.allSettled([
			small.verify("correct horse", ARGON2, IP),
			small.verify("correct horse", ARGON2, IP),
		]);
		assert.deepEqual(first, { status: "fulfilled", value: true });
		assert.ok(second?.status === "rejected" && second.reason.code === "service.overloaded");
	});

	test("a wrong password also costs bcrypt work, a right one does not", async () => {
		// The argon2id hash takes far less than one of cost 11.
		const { hasher, costsOf } = observedHasher(11);
		assert.deepEqual(await costsOf(() => hasher.verify("correct horse", ARGON2, IP)), []);
		const added = await costsOf(() => hasher.verify("wrong horse", ARGON2, IP));
		assert.ok(added.length > 0);
		assert.ok(
			added.every((cost) => cost < 11),
			String(added),
		);
	});
});

describe("no account", () => {
	test("verifyAbsent is always false", async () => {
		for (const password of ["", "kx7Rm2vQp9Ld", `${LONG}x`, "\0", "\ud800"]) {
			assert.equal(await hasher.verifyAbsent(password, IP), false);
		}
	});

	test("verifyAbsent costs the same work as a wrong password, from the first call", async () => {
		const { hasher, costsOf } = observedHasher(6);
		const hash = bcrypt.hashSync("another", 6);
		assert.deepEqual(await costsOf(() => hasher.verifyAbsent("kx7Rm2vQp9Ld", IP)), [6]);
		assert.deepEqual(await costsOf(() => hasher.verify("kx7Rm2vQp9Ld", hash, IP)), [6]);
		assert.deepEqual(await costsOf(() => hasher.verify(`${LONG}x`, hash, IP)), [6]);
	});
});

describe("too many concurrent hashes", () => {
	test("one runs, the allowed number waits, and the rest is refused immediately", async () => {
		const small = createPasswordHasher({ cost: 4, threads: 1, queueLimit: 2 });
		const hash = await small.hash("kx7Rm2vQp9Ld", IP);
		const responses = await Promise.allSettled([
			small.verify("kx7Rm2vQp9Ld", hash, IP),
			small.verifyAbsent("kx7Rm2vQp9Ld", IP),
			small.hash("kx7Rm2vQp9Ld", IP),
			small.verify("kx7Rm2vQp9Ld", hash, IP),
			small.verifyAbsent("kx7Rm2vQp9Ld", IP),
			small.hash("kx7Rm2vQp9Ld", IP),
		]);
		assert.deepEqual(
			responses.map((response) => response.status),
			["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected", "rejected"],
		);
		for (const response of responses) {
			if (response.status === "fulfilled") continue;
			assert.ok(response.reason instanceof AppError);
			assert.equal(response.reason.code, "service.overloaded");
			assert.equal(response.reason.retryAfterSeconds, 1);
		}
	});

	test("by default 5 s of work may wait", () => {
		assert.equal(queueLimitFor(12, 1), 25);
		assert.equal(queueLimitFor(12, 7), 175);
		assert.equal(queueLimitFor(10, 1), 100);
		assert.equal(queueLimitFor(15, 1), 3);
		assert.equal(queueLimitFor(20, 4), 4);
	});
});

describe("password rules", () => {
	const owner = { username: "Ada.Lovelace", email: "ada@example.com" };
	const refusals: [string, string, ErrorCode, RegExp][] = [
		["seven characters", "kx7Rm2v", "password.too_short", /must be at least 8 characters$/],
		["nothing", "", "password.too_short", /8 characters/],
		["seven characters of two UTF-16 units", "🔑".repeat(7), "password.too_short", /8 characters/],
		["eight code points that compose to seven", "kx7Rmve\u0301", "password.too_short", /8 characters/],
		["73 bytes", `${LONG}x`, "password.too_long", /72 bytes/],
		["73 bytes in 37 characters", `${"é".repeat(36)}x`, "password.too_long", /72 bytes/],
		["a very long one", "kx7Rm2vQp9Ld".repeat(5_000), "password.too_long", /72 bytes/],
		["a common one", "Sunshine1", "password.too_common", /common/],
		["a common one in full-width letters", "ｐａｓｓｗｏｒｄ", "password.too_common", /common/],
		["the username", "ada.lovelace", "password.same_as_name", /username/],
		["the email address", "ADA@example.com", "password.same_as_name", /email/],
		["a NUL", "kx7Rm2vQ\0p9Ld", "request.invalid", /NUL/],
		["half a surrogate pair", "kx7Rm2vQ\ud83d", "request.invalid", /lone surrogates/],
	];
	for (const [name, password, code, message] of refusals) {
		test(`${name} is ${code}`, () => {
			assert.throws(() => checkPasswordPolicy(password, owner), refused(code, "password", message));
			assert.throws(
				() => checkPasswordPolicy(password, { ...owner, field: "new_password" }),
				refused(code, "new_password", message),
			);
		});
	}

	const taken: [string, string][] = [
		["eight characters", "kx7Rm2vQ"],
		["eight characters of two UTF-16 units", "🔑🐎🔋📎🌊🧭🪁🥝"],
		["72 bytes", LONG],
		["72 bytes after composing, 107 before", `${"e\u0301".repeat(35)}x1`],
		["spaces", "correct horse battery staple"],
	];
	for (const [name, password] of taken) {
		test(`${name} may be a password`, () => checkPasswordPolicy(password, owner));
	}

	test("without an owner, a password is not compared with a name", () => checkPasswordPolicy("ada.lovelace"));

	test("a message never contains the password", () => {
		for (const [, password] of refusals) {
			if (password.length < 8) continue;
			assert.throws(
				() => checkPasswordPolicy(password, owner),
				(error) => error instanceof Error && !error.message.includes(password),
			);
		}
	});
});
