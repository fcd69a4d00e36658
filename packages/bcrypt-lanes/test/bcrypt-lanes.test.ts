import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { describe, test } from "node:test";
import * as bcrypt from "@node-rs/bcrypt";
import { parseBcryptHash } from "../src/bcrypt-hash.ts";
import { BcryptLanes } from "../src/bcrypt-lanes.ts";
import { checkKnownAnswers } from "../src/known-answers.ts";
import { LANES } from "../src/lane-layout.ts";

const lanes = new BcryptLanes();

interface Vector {
	readonly password: Buffer;
	readonly hash: string;
}

/** Keeps all lanes in use, in steps of random length. The results are in the order of the vectors. */
function verifyAll(vectors: readonly Vector[]): boolean[] {
	const responses: boolean[] = [];
	let running = 0;
	for (let begun = 0; begun < vectors.length || running > 0; ) {
		while (running < LANES && begun < vectors.length) {
			const { password, hash } = vectors[begun] as Vector;
			const parsed = parseBcryptHash(hash);
			assert.ok(parsed !== undefined, hash);
			lanes.begin(begun++, password, parsed);
			running += 1;
		}
		for (const { id, isMatch } of lanes.advance(randomInt(1, 40))) {
			responses[id] = isMatch;
			running -= 1;
		}
	}
	return responses;
}

/** Compares each result with that of the library. Returns the number of matches. */
function compare(vectors: readonly Vector[]): number {
	const responses = verifyAll(vectors);
	for (const [index, { password, hash }] of vectors.entries())
		assert.equal(
			responses[index],
			bcrypt.verifySync(password, hash),
			`${password.toString("hex")} against ${hash}`,
		);
	return responses.filter((isMatch) => isMatch).length;
}

/** With a random cost from 4, salt, and version. */
function hashOf(password: Buffer, costMax = 6): string {
	const hash = bcrypt.hashSync(password, randomInt(4, costMax + 1));
	return `$2${"aby"[randomInt(3)]}${hash.slice(3)}`;
}

/** With one bit changed, or longer, or shorter. */
function alter(password: Buffer): Buffer {
	const kind = randomInt(3);
	if (password.length === 0 || kind === 0) return Buffer.concat([password, randomBytes(1)]);
	if (kind === 1) return password.subarray(0, -1);
	const altered = Buffer.from(password);
	const at = randomInt(altered.length);
	altered[at] = altered.readUInt8(at) ^ (1 << randomInt(8));
	return altered;
}

function compareFamily(passwords: readonly Buffer[], costMax?: number): void {
	const vectors = passwords.flatMap((password) => {
		const hash = hashOf(password, costMax);
		return [
			{ password, hash },
			{ password: alter(password), hash },
		];
	});
	assert.ok(compare(vectors) >= passwords.length);
}

describe("the same results as the library", () => {
	test("for every length up to 80 bytes", () => {
		compareFamily(Array.from({ length: 81 }, (_, length) => randomBytes(length)));
	});

	test("at the limit of 72 bytes, beyond which bytes are ignored", () => {
		const long = Buffer.alloc(74, "0123456789");
		const hash = hashOf(long.subarray(0, 72));
		const vectors = [71, 72, 73, 74].map((length) => ({ password: long.subarray(0, length), hash }));
		assert.deepEqual(verifyAll(vectors), [false, true, true, true]);
		assert.equal(compare(vectors), 3);
	});

	test("with NUL inside, at the end and alone", () => {
		compareFamily(
			["\0", "\0\0", "a\0", "\0a", "a\0b", "a\0a", `${"x".repeat(71)}\0`].map((text) => Buffer.from(text)),
		);
		// The key repeats with its terminating zero, so bcrypt derives the same key from these.
		const hash = hashOf(Buffer.from("a"));
		assert.equal(compare([{ password: Buffer.from("a\0a"), hash }]), 1);
	});

	test("for texts with one to four bytes per character", () => {
		compareFamily(
			["é", "e\u0301", "密码是一个秘密", "🔑🐎🔋", "ｐａｓｓ", "é".repeat(36), "🔑".repeat(19)].map((text) =>
				Buffer.from(text),
			),
		);
	});

	test("in 2,000 comparisons of random passwords", () => {
		const passwords = Array.from({ length: 1_000 }, () => randomBytes(randomInt(90)));
		compareFamily(passwords, 4);
	});

	test("when any one bit of the digest differs", () => {
		const password = Buffer.from("kx7Rm2vQp9Ld");
		const parsed = parseBcryptHash(bcrypt.hashSync(password, 4));
		assert.ok(parsed !== undefined);
		for (let bit = 0; bit < 184; bit += LANES) {
			for (let lane = 0; lane < LANES; lane++) {
				const digest = Buffer.from(parsed.digest);
				const at = Math.min(bit + lane, 183);
				digest.writeUInt8(digest.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
				lanes.begin(at, password, { ...parsed, digest });
			}
			const results = lanes.advance(16);
			assert.equal(results.length, LANES);
			for (const { id, isMatch } of results) assert.equal(isMatch, false, `bit ${id}`);
		}
	});
});

describe("lanes", () => {
	const hash = parseBcryptHash("$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a");
	assert.ok(hash !== undefined);

	test("pass the known-answer test", () => checkKnownAnswers(new BcryptLanes()));

	test("fail the known-answer test when they compute wrongly", () => {
		class Broken extends BcryptLanes {
			override begin(...[id, password, known]: Parameters<BcryptLanes["begin"]>): void {
				super.begin(id, password, { ...known, salt: Buffer.alloc(16) });
			}
		}
		assert.throws(() => checkKnownAnswers(new Broken()), /wrong result/);
		class Lenient extends BcryptLanes {
			override advance(iterations: number) {
				return super.advance(iterations).map(({ id }) => ({ id, isMatch: true }));
			}
		}
		assert.throws(() => checkKnownAnswers(new Lenient()), /wrong result/);
	});

	test("leave no data in memory when they are idle", () => {
		const own = new BcryptLanes();
		assert.ok(own.isWiped);
		own.begin(1, Buffer.from("U*U*U"), hash);
		own.begin(2, Buffer.from("secret"), { ...hash, cost: 4 });
		assert.ok(!own.isWiped);
		assert.deepEqual(own.advance(100), [{ id: 2, isMatch: false }]);
		assert.deepEqual(own.advance(100), [{ id: 1, isMatch: true }]);
		assert.ok(own.isIdle && own.isWiped);
		assert.deepEqual(own.advance(100), []);
	});

	test("refuse a hash when all are in use", () => {
		const own = new BcryptLanes();
		for (let id = 0; id < LANES; id++) own.begin(id, Buffer.alloc(0), hash);
		assert.throws(() => own.begin(LANES, Buffer.alloc(0), hash), RangeError);
		assert.equal(own.advance(32).length, LANES);
	});
});

describe("parseBcryptHash", () => {
	const rest = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

	test("accepts the versions 2a, 2b, and 2y", () => {
		for (const version of ["2a", "2b", "2y"]) {
			const parsed = parseBcryptHash(`$${version}$05$${rest}`);
			assert.equal(parsed?.cost, 5);
			assert.equal(parsed.salt.length, 16);
			assert.equal(parsed.digest.length, 23);
		}
	});

	test("accepts no hash for which the library returns another result", () => {
		for (const text of [
			"",
			rest,
			`$2x$05$${rest}`,
			`$2$05$${rest}`,
			`$2b$5$${rest}`,
			`$2b$03$${rest}`,
			`$2b$32$${rest}`,
			`$2b$05$${rest}x`,
			`$2b$05$${rest.slice(1)}`,
			` $2b$05$${rest}`,
			`$2b$05$${rest}\n`,
			`$2b$05$${rest.replace(".E5", "-E5")}`,
			// The last characters of salt and digest have unused bits.
			`$2b$05$${rest.replace(".E5", "/E5")}`,
			`$2b$05$${rest.slice(0, -1)}X`,
		])
			assert.equal(parseBcryptHash(text), undefined, text);
	});
});
