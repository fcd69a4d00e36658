// The forms of PATCH and filters that Entra ID and Okta send, and hostile ones.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { meetsFilter, parseFilter } from "../../../domain/scim-filter.ts";
import { AppError } from "../../../kernel/error.ts";
import { applyOperations, readOperations } from "./scim-patch.ts";
import { readPerson } from "./scim-person.ts";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const USER = {
	userName: "ada@x.example",
	active: true,
	externalId: "e1",
	name: { givenName: "Ada", familyName: "Byron" },
	emails: [{ value: "ada@x.example", type: "work", primary: true }],
};
const GROUP = { displayName: "Admins", members: [{ value: "1" }, { value: "2" }, { value: "3" }] };

// biome-ignore lint/suspicious/noExplicitAny: the tests look into attributes of any form
type Any = any;

function patched(resource: object, ...operations: object[]): Any {
	const before = JSON.stringify(resource);
	const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: operations };
	const after = applyOperations(resource as Record<string, unknown>, readOperations(body));
	assert.equal(JSON.stringify(resource), before, "the original is unchanged");
	return after;
}
const values = (list: Any): string => list.map(({ value }: Any) => value).join();
function refused(run: () => unknown, code: string): void {
	assert.throws(run, (error) => error instanceof AppError && error.code === code);
}
const isActive = (operation: object): boolean => readPerson(patched(USER, operation)).active;

describe("PATCH of Entra ID", () => {
	it("disables a person in each form", () => {
		assert.equal(isActive({ op: "Replace", path: "active", value: "False" }), false);
		assert.equal(isActive({ op: "replace", value: { active: false } }), false);
		assert.equal(isActive({ op: "replace", path: "active", value: false }), false);
		assert.equal(isActive({ op: "Replace", path: "active", value: "True" }), true);
	});

	it("sets a value that a filter describes before it exists, and replaces it afterwards", () => {
		const path = 'emails[type eq "work"].value';
		const { emails: _, ...without } = USER;
		const added = patched(without, { op: "Add", path, value: "b@x.example" });
		assert.deepEqual(added.emails, [{ type: "work", value: "b@x.example" }]);
		const replaced = patched(USER, { op: "Replace", path, value: "c@x.example" });
		assert.equal(replaced.emails[0].value, "c@x.example");
		const mobile = { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "1" };
		assert.equal(patched(USER, mobile).phoneNumbers[0].type, "mobile");
	});

	it("takes keys with dots and URNs without a path", () => {
		const value = { "name.givenName": "Augusta", "name.familyName": "King" };
		assert.deepEqual(patched(USER, { op: "Replace", value }).name, {
			givenName: "Augusta",
			familyName: "King",
		});
		const department = { op: "Add", path: `${ENTERPRISE}:department`, value: "R&D" };
		assert.equal(patched(USER, department)[ENTERPRISE].department, "R&D");
		const manager = { op: "Add", path: `${ENTERPRISE}:manager`, value: "7" };
		assert.equal(patched(USER, manager)[ENTERPRISE].manager, "7");
		const whole = { op: "Replace", value: { [ENTERPRISE]: { department: "Sales" } } };
		assert.deepEqual(patched(USER, whole)[ENTERPRISE], { department: "Sales" });
		const core = { op: "replace", path: "urn:ietf:params:scim:schemas:core:2.0:User:userName", value: "n" };
		assert.equal(patched(USER, core).userName, "n");
	});

	it("adds and removes members by value and by filter, and renames a group", () => {
		const add = { op: "Add", path: "members", value: [{ $ref: null, value: "4" }] };
		assert.equal(patched(GROUP, add).members.length, 4);
		const remove = { op: "Remove", path: "members", value: [{ $ref: null, value: "2" }] };
		assert.equal(values(patched(GROUP, remove).members), "1,3");
		assert.equal(values(patched(GROUP, { op: "Remove", path: 'members[value eq "2"]' }).members), "1,3");
		assert.equal(patched(GROUP, { op: "Replace", path: "displayName", value: "A2" }).displayName, "A2");
	});
});

describe("PATCH of Okta", () => {
	it("replaces, adds, and removes members, and ignores the id in a value", () => {
		assert.equal(
			patched(GROUP, { op: "replace", path: "members", value: [{ value: "5" }] }).members.length,
			1,
		);
		const rename = { op: "replace", value: { id: "evil", displayName: "B" } };
		assert.deepEqual(patched(GROUP, rename), { ...GROUP, displayName: "B" });
		assert.equal(patched(GROUP, { op: "remove", path: 'members[value eq "1"]' }).members.length, 2);
		const two = { op: "add", path: "members", value: [{ value: "1" }, { value: "8" }] };
		assert.equal(patched(GROUP, two).members.length, 4);
	});
});

describe("filters", () => {
	const meets = (filter: string): boolean => meetsFilter(parseFilter(filter), USER);

	it("compare without case, with precedence, negation, value paths, and URNs", () => {
		for (const filter of [
			'userName eq "ADA@X.example"',
			'externalId eq "e1"',
			'emails[type eq "work" and value co "@x."]',
			"not (active eq false) and userName pr",
			'emails[not (type eq "home")]',
			'userName eq "no" and active eq true or active eq true',
			'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada"',
			'emails eq "ada@x.example"',
			'emails ne "other@x.example" and userName ew "example"',
			'userName gt "a" and userName ge "ada@x.example" and userName lt "b" and userName le "b"',
		])
			assert.equal(meets(filter), true, filter);
		for (const filter of ['userName eq "ada"', "title pr", 'emails ne "ada@x.example"', 'active co "tr"'])
			assert.equal(meets(filter), false, filter);
	});

	it("are refused above their limits and outside their grammar, at once", () => {
		for (const filter of [
			Array(3_000).fill('a eq "1"').join(" or "),
			Array(21).fill('a eq "1"').join(" or "),
			`${"(".repeat(200)}a pr${")".repeat(200)}`,
			"not (".repeat(8),
			"(".repeat(900),
			'"'.repeat(999),
			"a ".repeat(499),
			'a eq "x',
			"a eq x",
			"a is 1",
			"a eq",
			"a pr b",
			'a[b eq "1"',
			'a eq ["1"]',
			"not a pr",
			"",
		])
			refused(() => parseFilter(filter), "scim.invalid_filter");
	});
});

describe("hostile operations", () => {
	it("reach no prototype", () => {
		refused(() => patched(USER, { op: "add", path: "__proto__.polluted", value: 1 }), "scim.invalid_path");
		refused(
			() => patched(USER, { op: "add", path: "constructor.prototype.x", value: 1 }),
			"scim.invalid_path",
		);
		const tail = { op: "add", path: 'emails[type eq "work"].__proto__', value: { x: 1 } };
		refused(() => patched(USER, tail), "scim.invalid_path");
		const key = { op: "add", value: JSON.parse('{"__proto__":{"polluted":1}}') };
		refused(() => patched(USER, key), "scim.invalid_path");
		const hidden = JSON.parse('{"name":{"__proto__":{"polluted":1}}}');
		assert.equal(patched(USER, { op: "add", value: hidden }).name.polluted, undefined);
		assert.equal(({} as Any).polluted, undefined);
	});

	it("are refused by form and number", () => {
		const many = Array(101).fill({ op: "add", path: "title", value: "x" });
		refused(() => patched(USER, ...many), "scim.invalid_syntax");
		refused(() => patched(USER), "scim.invalid_syntax");
		refused(() => readOperations({ Operations: [{ op: "add" }] }), "scim.invalid_syntax");
		refused(() => patched(USER, { op: "move", path: "title" }), "scim.invalid_syntax");
		refused(() => patched(USER, { op: "remove" }), "scim.no_target");
		refused(() => patched(USER, { op: "replace", value: "x" }), "scim.invalid_value");
		refused(() => patched(USER, { op: "replace", path: "a[b[c]]", value: "x" }), "scim.invalid_path");
		refused(() => patched(USER, { op: "replace", path: "x".repeat(1_001), value: "x" }), "scim.invalid_path");
		refused(
			() => readPerson(patched(USER, { op: "replace", path: "active", value: "yes" })),
			"scim.invalid_value",
		);
		refused(
			() => patched(USER, { op: "replace", path: 'emails[value co "z"].type', value: "x" }),
			"scim.no_target",
		);
	});
});
