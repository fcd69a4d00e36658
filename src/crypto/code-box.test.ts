import assert from "node:assert/strict";
import { createSecretKey, randomBytes } from "node:crypto";
import { test } from "node:test";
import { createCodeBox } from "./code-box.ts";
import { SecretBox } from "./secret-box.ts";

const bytes = randomBytes(32);
const box = createCodeBox(createSecretKey(bytes));

test("opens what it sealed, in the same context only", () => {
	const sealed = box.seal("session", "gate:1");
	assert.equal(box.open(sealed, "gate:1"), "session");
	assert.notEqual(box.seal("session", "gate:1"), sealed);
	assert.equal(box.open(sealed, "gate:2"), undefined);
});

test("opens nothing that was changed, cut, or sealed with another key", () => {
	const sealed = box.seal("session", "gate:1");
	for (let index = 0; index < sealed.length; index++) {
		const other = sealed[index] === "A" ? "B" : "A";
		assert.equal(
			box.open(`${sealed.slice(0, index)}${other}${sealed.slice(index + 1)}`, "gate:1"),
			undefined,
		);
		assert.equal(box.open(sealed.slice(0, index), "gate:1"), undefined);
	}
	assert.equal(createCodeBox(createSecretKey(randomBytes(32))).open(sealed, "gate:1"), undefined);
	// Not even what the same master key sealed for the database.
	const stored = new SecretBox([bytes]).seal("session", "gate:1");
	assert.equal(box.open(stored, "gate:1"), undefined);
	assert.equal(box.open(stored.split(".")[2] ?? "", "gate:1"), undefined);
});
