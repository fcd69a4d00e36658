import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { AUDIT_ACTIONS, RETIRED_AUDIT_ACTIONS } from "./audit-action.ts";

/** Source text of the files that can write to the trail. */
const SOURCES = globSync(["src/{features,app,jobs,ops}/**/*.ts", "src/domain/{end-admin-keys,give-grant}.ts"])
	.filter((file) => !file.endsWith(".test.ts"))
	.map((file) => readFileSync(file, "utf8"));

describe("AUDIT_ACTIONS", () => {
	it("are `noun.verb`, sorted, without duplicates", () => {
		for (const action of AUDIT_ACTIONS) assert.match(action, /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
		assert.deepEqual(AUDIT_ACTIONS, [...new Set(AUDIT_ACTIONS)].sort());
	});

	it("are each written by a use case", () => {
		for (const action of AUDIT_ACTIONS)
			assert.ok(
				SOURCES.some((source) => source.includes(`"${action}"`)),
				action,
			);
	});

	it("contain no retired action, and no use case writes one", () => {
		for (const retired of Object.keys(RETIRED_AUDIT_ACTIONS)) {
			assert.ok(!AUDIT_ACTIONS.some((action) => action === retired), retired);
			assert.ok(!SOURCES.some((source) => source.includes(`"${retired}"`)), retired);
		}
	});
});
