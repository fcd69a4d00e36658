// Tests passwords that are verified concurrently and share a thread.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import * as bcrypt from "@node-rs/bcrypt";
import { createPasswordHasher, type PasswordHasher } from "./password.ts";

const IP = "192.0.2.1";
const RIGHT = "kx7Rm2vQp9Ld";
const ARGON2 =
	"$argon2id$v=19$m=64,t=2,p=2$c2l4dGVlbi1ieXRlLXNsdA$+E3X8gb7c1IvXCN9vxubPMGjJ6YeB8dZ7Asi38Kn734";

/** A hasher whose lanes are in use. */
async function inLanes(cost: number, onVerify?: (hash: string) => void): Promise<PasswordHasher> {
	const hasher = createPasswordHasher({
		cost,
		threads: 1,
		queueLimit: 200,
		onVerify,
		onLanesFailed: (error) => {
			throw error;
		},
	});
	let most = 0;
	// The lanes' thread takes a moment to start.
	for (let round = 0; round < 4_000 && most < 2; round++) {
		const jobs = Array.from({ length: 6 }, () =>
			hasher.verifyAbsent("x", IP).then(() => {
				most = Math.max(most, hasher.load.running);
			}),
		);
		await Promise.all(jobs);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	assert.ok(most >= 2, "the lanes never started");
	return hasher;
}

describe("passwords verified concurrently", () => {
	let hasher: PasswordHasher;
	before(async () => {
		hasher = await inLanes(5);
	});

	test("have the same results as one by one", async () => {
		const hashes = [
			bcrypt.hashSync(RIGHT, 5),
			bcrypt.hashSync(RIGHT, 4),
			bcrypt.hashSync(RIGHT, 6).replace("$2b$", "$2y$"),
			// The library verifies these.
			bcrypt.hashSync(RIGHT, 4).replace("$2b$", "$2x$"),
			"no hash",
			"!",
		];
		const passwords = [RIGHT, `${RIGHT}!`, "", "\0", "\ud800", "0".repeat(73)];
		const responses = await Promise.all(
			hashes.map((hash) => Promise.all(passwords.map((password) => hasher.verify(password, hash, IP)))),
		);
		for (const [index, [right, ...wrong]] of responses.entries()) {
			assert.equal(right, index < 4, `hash ${index}`);
			assert.deepEqual(
				wrong,
				passwords.slice(1).map(() => false),
			);
		}
	});

	test("run together with new and imported hashes", async () => {
		const hash = bcrypt.hashSync(RIGHT, 5);
		const making = hasher.hash("another one", IP);
		const responses = await Promise.all([
			hasher.verify(RIGHT, hash, IP),
			hasher.verify("correct horse", ARGON2, IP),
			hasher.verify("wrong horse", ARGON2, IP),
			hasher.verifyAbsent(RIGHT, IP),
			hasher.verify(RIGHT, hash, IP),
		]);
		assert.deepEqual(responses, [true, true, false, false, true]);
		assert.equal(bcrypt.verifySync("another one", await making), true);
		assert.deepEqual(hasher.load, { running: 0, waiting: 0 });
	});
});

describe("on a shared thread", () => {
	test("a wrong password costs the same work as an unknown name, even for a cheaper hash", async () => {
		let iterations = 0;
		const hasher = await inLanes(6, (hash) => {
			iterations += 2 ** Number(hash.slice(4, 6));
		});
		const spent = async (verify: () => Promise<boolean>): Promise<number> => {
			const before = iterations;
			assert.deepEqual(await Promise.all(Array.from({ length: 6 }, verify)), Array(6).fill(false));
			return iterations - before;
		};
		const hashes = [6, 4].map((cost) => bcrypt.hashSync("another", cost));
		assert.equal(await spent(() => hasher.verifyAbsent("x", IP)), 6 * 2 ** 6);
		for (const hash of [...hashes, "no hash"])
			assert.equal(await spent(() => hasher.verify("x", hash, IP)), 6 * 2 ** 6, hash);
	});
});
