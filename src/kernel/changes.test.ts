import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differences, wireNames } from "./changes.ts";

interface Thing {
	readonly name?: string;
	readonly dueAtMs?: number | null;
	readonly tags?: readonly string[];
}

describe("differences", () => {
	const before = { name: "a", dueAtMs: 5, tags: ["x", "y"], untouched: 1 };

	it("keeps only fields that are present and different", () => {
		assert.deepEqual(differences<Thing>(before, {}), {});
		assert.deepEqual(differences<Thing>(before, { name: "a", dueAtMs: undefined, tags: ["x", "y"] }), {});
		assert.deepEqual(differences<Thing>(before, { name: "b", dueAtMs: 5 }), { name: "b" });
		assert.deepEqual(differences<Thing>(before, { dueAtMs: null }), { dueAtMs: null });
	});

	it("compares the order and number of list entries", () => {
		assert.deepEqual(differences<Thing>(before, { tags: ["y", "x"] }), { tags: ["y", "x"] });
		assert.deepEqual(differences<Thing>(before, { tags: [] }), { tags: [] });
		assert.deepEqual(differences<Thing>(before, { tags: ["x,y"] }), { tags: ["x,y"] });
	});
});

describe("wireNames", () => {
	it("uses the wire names of fields", () => {
		assert.deepEqual(wireNames({ name: 1, ipAllowlist: 1, expiresAtMs: 1 }), [
			"name",
			"ip_allowlist",
			"expires_at",
		]);
	});
});
