import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	checkManages,
	checkPlatformAdmin,
	isActiveAdmin,
	type SystemRole,
	sortRoles,
} from "./system-role.ts";
import { USERNAME, type User, usernameKey } from "./user.ts";

const userWith = (...roles: SystemRole[]): User => ({
	id: "u",
	tenantId: "t",
	username: "u",
	email: "u@people.example",
	emailVerified: true,
	displayName: "",
	avatarUrl: "",
	status: "active",
	disabledReason: null,
	disabledAtMs: null,
	roles,
	locale: null,
	mfaEnabled: false,
	lastLoginAtMs: null,
	createdAtMs: 0,
	updatedAtMs: 0,
});

describe("usernames", () => {
	it("are 3 to 64 of letters, digits, dot, underscore and hyphen, beginning with a letter or digit", () => {
		for (const good of ["abc", "0.-", "A_B", `a${"-".repeat(63)}`]) assert.match(good, USERNAME);
		for (const bad of ["", "ab", ".abc", "-abc", "_abc", "a bc", "abc\n", "äbc", "a@b", `a${"b".repeat(64)}`])
			assert.doesNotMatch(bad, USERNAME);
	});

	it("are the same in any case", () => {
		assert.equal(usernameKey("Ada.L"), usernameKey("aDA.l"));
	});
});

describe("system roles", () => {
	it("have one order, each once", () => {
		assert.deepEqual(sortRoles(["platform_admin", "auditor", "admin", "auditor"]), [
			"admin",
			"auditor",
			"platform_admin",
		]);
		assert.deepEqual(sortRoles([]), []);
	});

	it("count only an active user with the role admin itself as an active admin", () => {
		assert.equal(isActiveAdmin(userWith("admin")), true);
		assert.equal(isActiveAdmin({ ...userWith("admin"), status: "disabled" }), false);
		assert.equal(isActiveAdmin(userWith("platform_admin", "reviewer", "auditor")), false);
	});

	it("let only platform admins manage platform admins", () => {
		const required = { code: "role.required" };
		checkManages(userWith("admin"), userWith("admin", "auditor"));
		checkManages(userWith("platform_admin"), userWith("platform_admin"));
		assert.throws(() => checkManages(userWith("admin"), userWith("platform_admin")), required);
		assert.throws(() => checkPlatformAdmin(userWith("admin", "reviewer", "auditor")), required);
	});
});
