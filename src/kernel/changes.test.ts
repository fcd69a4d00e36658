import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differences, fieldChanges, wireNames } from "./changes.ts";

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

describe("fieldChanges", () => {
	const before = { name: "a", dueAtMs: 0, tags: ["x"], email: "a@b.example" };

	it("shows every changed field with its wire name, except hidden ones", () => {
		const changes = { name: "b", dueAtMs: 1_000, tags: undefined, email: "c@d.example" };
		assert.deepEqual(fieldChanges(before, changes, ["email"]), {
			name: { from: "a", to: "b" },
			due_at: { from: "1970-01-01T00:00:00.000Z", to: "1970-01-01T00:00:01.000Z" },
		});
	});

	it("shows no field whose name says that it is secret: it must be hidden to compile", () => {
		const user = { name: "a", passwordHash: "old" };
		const changes = { name: "b", passwordHash: "new" };
		assert.deepEqual(Object.keys(fieldChanges(user, changes, ["passwordHash"])), ["name"]);
		// @ts-expect-error Not hidden.
		assert.ok(fieldChanges(user, changes));
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
