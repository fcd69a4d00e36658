// Passwords that are verified at once, so that they share a thread.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import * as bcrypt from "@node-rs/bcrypt";
import { createPasswordHasher, type PasswordHasher } from "./password.ts";

const IP = "192.0.2.1";
const RIGHT = "kx7Rm2vQp9Ld";
const ARGON2 =
	"$argon2id$v=19$m=64,t=2,p=2$c2l4dGVlbi1ieXRlLXNsdA$+E3X8gb7c1IvXCN9vxubPMGjJ6YeB8dZ7Asi38Kn734";

/** A hasher whose lanes are in use. */
async function inLanes(cost: number): Promise<PasswordHasher> {
	const hasher = createPasswordHasher({
		cost,
		threads: 1,
		queueLimit: 200,
		onLanesFailed: (error) => {
			throw error;
		},
	});
	let most = 0;
	for (let round = 0; round < 500 && most < 2; round++) {
		const jobs = Array.from({ length: 6 }, () =>
			hasher.verifyAbsent("x", IP).then(() => {
				most = Math.max(most, hasher.load.running);
			}),
		);
		await Promise.all(jobs);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	assert.ok(most >= 2, "the lanes never began");
	return hasher;
}

describe("passwords verified at once", () => {
	let hasher: PasswordHasher;
	before(async () => {
		hasher = await inLanes(5);
	});

	test("get the answers that they get one by one", async () => {
		const hashes = [
			bcrypt.hashSync(RIGHT, { cost: 5 }),
			bcrypt.hashSync(RIGHT, { cost: 4 }),
			bcrypt.hashSync(RIGHT, { cost: 6 }).replace("$2b$", "$2y$"),
			// Verified by the library all the same.
			bcrypt.hashSync(RIGHT, { cost: 4 }).replace("$2b$", "$2x$"),
			"no hash",
			"!",
		];
		const passwords = [RIGHT, `${RIGHT}!`, "", "\0", "\ud800", "0".repeat(73)];
		const answers = await Promise.all(
			hashes.map((hash) => Promise.all(passwords.map((password) => hasher.verify(password, hash, IP)))),
		);
		for (const [index, [right, ...wrong]] of answers.entries()) {
			assert.equal(right, index < 4, `hash ${index}`);
			assert.deepEqual(
				wrong,
				passwords.slice(1).map(() => false),
			);
		}
	});

	test("beside new hashes and imported ones", async () => {
		const hash = bcrypt.hashSync(RIGHT, { cost: 5 });
		const making = hasher.hash("another one", IP);
		const answers = await Promise.all([
			hasher.verify(RIGHT, hash, IP),
			hasher.verify("correct horse", ARGON2, IP),
			hasher.verify("wrong horse", ARGON2, IP),
			hasher.verifyAbsent(RIGHT, IP),
			hasher.verify(RIGHT, hash, IP),
		]);
		assert.deepEqual(answers, [true, true, false, false, true]);
		assert.equal(bcrypt.verifySync("another one", await making), true);
		assert.deepEqual(hasher.load, { running: 0, waiting: 0 });
	});
});

describe("in a crowd", () => {
	test("a wrong password takes the work of an unknown name, also against a cheaper hash", async () => {
		const hasher = await inLanes(9);
		const wrongHash = bcrypt.hashSync("another", { cost: 9 });
		const cheaperHash = bcrypt.hashSync("another", { cost: 6 });
		// By processor time, of all threads: the clock says little on a busy machine.
		const spentMs = async (verify: () => Promise<boolean>): Promise<number> => {
			const before = process.cpuUsage();
			assert.deepEqual(await Promise.all(Array.from({ length: 6 }, verify)), Array(6).fill(false));
			const { user, system } = process.cpuUsage(before);
			return (user + system) / 1_000;
		};
		for (const hash of [wrongHash, cheaperHash, "no hash"]) {
			let [absentMs, wrongMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
			const isLike = () => wrongMs > absentMs / 1.6 && wrongMs < absentMs * 1.6;
			// The least of many rounds, in turn: a busy machine needs more of them.
			for (let round = 0; round < 5 || (round < 40 && !isLike()); round++) {
				absentMs = Math.min(absentMs, await spentMs(() => hasher.verifyAbsent("x", IP)));
				wrongMs = Math.min(wrongMs, await spentMs(() => hasher.verify("x", hash, IP)));
			}
			assert.ok(isLike(), `${wrongMs} ms against ${absentMs} ms for ${hash}`);
		}
	});
});
