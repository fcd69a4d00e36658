import assert from "node:assert/strict";
import { createHmac, createSecretKey } from "node:crypto";
import { describe, test } from "node:test";
import { NamedTokens } from "./named-token.ts";

describe("NamedTokens", () => {
	const key = createSecretKey(Buffer.alloc(32, 1));
	const secret = Buffer.alloc(32, 7).toString("base64url");
	const named = { id: "01234567-89ab-7def-8123-456789abcdef", generation: 2 ** 32 - 1, secret };
	const tokens = new NamedTokens(key);
	const others = [
		new NamedTokens(createSecretKey(Buffer.alloc(32, 2))).write(named, "context"),
		tokens.write({ ...named, id: named.id.replace("f", "e") }, "context"),
		tokens.write({ ...named, generation: 0 }, "context"),
		tokens.write({ ...named, secret: Buffer.alloc(32, 8).toString("base64url") }, "context"),
		tokens.write(named),
	];

	test("contain id, generation, and secret, and the HMAC-SHA256 of all with the context", () => {
		const token = tokens.write(named, "context");
		const name = Buffer.from(`0123456789ab7def8123456789abcdefffffffff${"07".repeat(32)}`, "hex");
		const mac = createHmac("sha256", key).update(name).update("context").digest().subarray(0, 16);
		assert.equal(token, Buffer.concat([name, mac]).toString("base64url"));
	});

	test("have another MAC for another key, id, generation, secret, and context", () => {
		const all = [...others, tokens.write(named, "context")];
		assert.equal(new Set(all.map((token) => token.slice(-21))).size, all.length);
	});

	test("are read for their key and context only, also after one was verified", () => {
		const token = tokens.write(named, "context");
		for (let round = 0; round < 3; round++) {
			assert.deepEqual(tokens.read(token, "context"), named);
			assert.equal(tokens.read(token), undefined);
			assert.equal(tokens.read(token, "another"), undefined);
			for (const other of others)
				assert.equal(tokens.read(token.slice(0, -21) + other.slice(-21), "context"), undefined);
			// The last of 91 characters has four bits, so other characters mean the same bytes.
			for (const text of ["", "a", token.slice(1), `${token}a`, `+${token.slice(1)}`, `${token}\n`])
				assert.equal(tokens.read(text, "context"), undefined);
			const spelled = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
			const isRead = (last: string) => tokens.read(token.slice(0, -1) + last, "context") !== undefined;
			assert.deepEqual(spelled.filter(isRead), [token.slice(-1)]);
		}
	});
});
