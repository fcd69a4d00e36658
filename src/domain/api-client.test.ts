import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../kernel/error.ts";
import { parseAllowlist } from "./allowlist.ts";
import { checkExpiry, isUsable, SCOPES, sortScopes } from "./api-client.ts";

describe("parseAllowlist", () => {
	it("writes entries in canonical form, deduplicated, in the given order", () => {
		assert.deepEqual(
			parseAllowlist([
				"10.0.0.0/8",
				"2001:DB8:0::/32",
				"::ffff:192.0.2.1",
				"192.0.2.1",
				"::ffff:10.0.0.0/104",
				"2001:db8::1",
			]),
			["10.0.0.0/8", "2001:db8::/32", "192.0.2.1", "2001:db8::1"],
		);
		assert.deepEqual(parseAllowlist([]), []);
	});

	it("reports every invalid entry with its reason", () => {
		assert.throws(
			() => parseAllowlist(["10.0.0.1/8", "10.0.0.1", "010.0.0.1", "10.0.0.0/33", "::ffff:10.0.0.0/8", "x"]),
			(error) => {
				assert.ok(error instanceof AppError);
				assert.deepEqual(
					error.fields.map(({ field }) => field),
					["ip_allowlist.0", "ip_allowlist.2", "ip_allowlist.3", "ip_allowlist.4", "ip_allowlist.5"],
				);
				assert.match(error.fields[0]?.message ?? "", /host bits/);
				assert.match(error.fields[1]?.message ?? "", /leading zero/);
				assert.match(error.fields[2]?.message ?? "", /prefix/);
				return true;
			},
		);
	});
});

describe("sortScopes", () => {
	it("has a fixed order and no duplicates", () => {
		assert.deepEqual(sortScopes([...SCOPES].reverse()), SCOPES);
		assert.deepEqual(sortScopes(["access:check", "users:read", "access:check"]), [
			"users:read",
			"access:check",
		]);
		assert.deepEqual(sortScopes([]), []);
	});
});

describe("checkExpiry and isUsable", () => {
	it("treat the exact moment as expired", () => {
		checkExpiry(null, 10);
		checkExpiry(11, 10);
		assert.throws(() => checkExpiry(10, 10), { message: "expires_at must be in the future" });
		assert.equal(isUsable({ status: "active", expiresAtMs: 11 }, 10), true);
		assert.equal(isUsable({ status: "active", expiresAtMs: 10 }, 10), false);
		assert.equal(isUsable({ status: "active", expiresAtMs: null }, 10), true);
		assert.equal(isUsable({ status: "disabled", expiresAtMs: null }, 10), false);
		assert.equal(isUsable({ status: "unclaimed", expiresAtMs: null }, 10), false);
	});
});
