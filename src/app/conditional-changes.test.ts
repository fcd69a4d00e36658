import assert from "node:assert/strict";
import { test } from "node:test";
import type { Platform } from "../features/platform.ts";
import type { AnyCall } from "../http/describe/endpoint.ts";
import type { Route } from "../http/describe/guard.ts";
import { createConditionalChange } from "./conditional-changes.ts";

test("fifty changes wait for the one that is under way, and further ones are refused", async () => {
	const held = Promise.withResolvers<unknown>();
	const platform = { db: { transaction: () => held.promise }, providers: {} } as unknown as Platform;
	const change = createConditionalChange(platform, () => []);
	const call = () =>
		change(
			{ method: "PATCH", path: "/api/v1/groups/{id}" } as Route,
			{ ids: {} } as AnyCall,
			() => undefined,
		);
	const waiting = Array.from({ length: 51 }, call);
	await assert.rejects(call(), { code: "service.overloaded" });
	held.resolve("changed");
	assert.deepEqual(await Promise.all(waiting), Array(51).fill("changed"));
});
