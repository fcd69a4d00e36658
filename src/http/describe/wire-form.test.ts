import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { list, nullable, object, optional, plain, time, timeInput } from "./schema.ts";
import { fromWire, toWire } from "./wire-form.ts";

test("writes the fields of the schema in snake_case, times as ISO text, and nothing else", () => {
	const schema = object({
		user_id: plain(),
		ip_allowlist: list(plain()),
		expires_at: nullable(time()),
		created_at: time(),
		group_id: optional(plain()),
	});
	const domain = { userId: "u", ipAllowlist: ["::1"], expiresAtMs: null, createdAtMs: 0, secretSealed: "s" };
	deepEqual(toWire(schema)(domain), {
		user_id: "u",
		ip_allowlist: ["::1"],
		expires_at: null,
		created_at: "1970-01-01T00:00:00.000Z",
	});
});

test("reads a body into camelCase with times in milliseconds; null stays, absent fields stay absent", () => {
	const schema = object({
		app_id: plain(),
		review_note: optional(plain()),
		expires_at: optional(nullable(timeInput())),
		received_at: optional(timeInput()),
	});
	const body = { app_id: "a", expires_at: null, received_at: "1970-01-01T01:00:01+01:00" };
	deepEqual(fromWire(schema)(body), { appId: "a", expiresAtMs: null, receivedAtMs: 1_000 });
});
