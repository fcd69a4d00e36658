import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes, randomInt } from "node:crypto";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hmacSha256Hex, padsOf } from "./lean-hmac.ts";

const library = (key: Buffer, latin1: string): string =>
	createHmac("sha256", key).update(latin1, "latin1").digest("hex");

describe("hmacSha256Hex", () => {
	it("gives the answers of RFC 4231", () => {
		const cases: [Buffer, string, string][] = [
			[
				Buffer.alloc(20, 0x0b),
				"Hi There",
				"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
			],
			[
				Buffer.from("Jefe"),
				"what do ya want for nothing?",
				"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
			],
			[
				Buffer.alloc(20, 0xaa),
				"\xdd".repeat(50),
				"773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
			],
			[
				Buffer.alloc(131, 0xaa),
				"Test Using Larger Than Block-Size Key - Hash Key First",
				"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
			],
		];
		for (const [bytes, text, hex] of cases) assert.equal(hmacSha256Hex(createSecretKey(bytes), text), hex);
	});

	it("agrees with createHmac for keys and texts of every length around the limits of blocks and buffers", () => {
		const keys = [1, 2, 31, 32, 46, 63, 64, 65, 127, 128, 129, 300].map((length) => randomBytes(length));
		const lengths = [0, 1, 54, 55, 56, 63, 64, 65, 300, 4_095, 4_096, 4_097, 20_000];
		for (const bytes of keys) {
			const key = createSecretKey(bytes);
			for (const length of lengths) {
				const text = randomBytes(length).toString("latin1");
				assert.equal(hmacSha256Hex(key, text), library(bytes, text), `${bytes.length}, ${length}`);
			}
		}
	});

	it("agrees with createHmac for random texts signed with many keys in turn", () => {
		const secrets = Array.from({ length: 20 }, () => randomBytes(randomInt(1, 100)));
		const keys = secrets.map((bytes) => createSecretKey(bytes));
		for (let count = 0; count < 5_000; count++) {
			const index = randomInt(secrets.length);
			const text = randomBytes(randomInt(600)).toString("latin1");
			const key = keys[index] ?? assert.fail();
			assert.equal(hmacSha256Hex(key, text), library(secrets[index] ?? assert.fail(), text));
		}
	});

	it("takes the low byte of a character, as createHmac does", () => {
		const bytes = randomBytes(32);
		const text = "ü€\u{1f511}０";
		assert.equal(hmacSha256Hex(createSecretKey(bytes), text), library(bytes, text));
	});
});

describe("pads", () => {
	it("are not shown with their key", () => {
		const bytes = randomBytes(32);
		const key = createSecretKey(bytes);
		const { inner } = padsOf(key);
		const shown = inspect(key, { showHidden: true, depth: 9 }) + JSON.stringify(key);
		for (const secret of [bytes, inner])
			assert.equal(shown.includes(secret.toString("hex").slice(0, 8)), false);
		assert.deepEqual(Reflect.ownKeys(key), Reflect.ownKeys(createSecretKey(bytes)));
	});

	it("are computed once for a key, and cleared when it is collected", async () => {
		setFlagsFromString("--expose-gc");
		const collect = runInNewContext("gc") as () => void;
		const pads = (() => {
			const key = createSecretKey(randomBytes(32));
			const pads = padsOf(key);
			assert.equal(padsOf(key), pads);
			return [pads.inner, pads.outer];
		})();
		assert.ok(pads.every((pad) => pad.some((byte) => byte !== 0)));
		const isCleared = (): boolean => pads.every((pad) => pad.every((byte) => byte === 0));
		for (let turn = 0; turn < 1_000 && !isCleared(); turn++) {
			collect();
			await nextTurn();
		}
		assert.ok(isCleared());
	});
});
