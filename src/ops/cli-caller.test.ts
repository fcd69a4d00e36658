import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { cliCaller, osUser } from "./cli-caller.ts";

test("the actor of a command is the operating-system user who runs it", () => {
	const { tenantId, userId, actor } = cliCaller("t");
	assert.deepEqual([tenantId, userId, actor], ["t", null, `cli:${userInfo().username}`]);
});

test("a name from a directory service cannot break the format of the actor, and is truncated", () => {
	assert.equal(
		osUser(() => ({ username: "CORP\\eve:admin\n" })),
		"CORP\\eve_admin_",
	);
	assert.equal(osUser(() => ({ username: "x".repeat(1000) })).length, 100);
});

test("a user without a name is identified by uid, and other errors are thrown", () => {
	const throwing = (code: string) => () => {
		throw Object.assign(new Error("uv_os_get_passwd"), { code });
	};
	assert.equal(osUser(throwing("ERR_SYSTEM_ERROR")), `uid-${process.getuid?.()}`);
	assert.throws(() => osUser(throwing("EMFILE")), { code: "EMFILE" });
});
