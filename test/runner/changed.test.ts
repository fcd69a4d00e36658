import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reachedBy, readImports } from "./changed.ts";

describe("--changed", () => {
	it("selects the test files that import a changed file, directly or indirectly", () => {
		const modules = [
			{
				source: "src/domain/group.ts",
				dependents: ["src/features/manage-group.ts", "src/domain/group.test.ts"],
			},
			{ source: "src/features/manage-group.ts", dependents: ["test/endpoints/groups.test.ts"] },
			{ source: "src/domain/user.ts", dependents: ["src/domain/user.test.ts"] },
		];
		const isReached = reachedBy(["src/domain/group.ts"], modules);
		assert.equal(isReached("src/domain/group.test.ts"), true);
		assert.equal(isReached("test/endpoints/groups.test.ts"), true);
		assert.equal(isReached("src/domain/user.test.ts"), false);
	});

	it("selects a changed test file itself", () => {
		assert.equal(reachedBy(["test/wire/toolkit.test.ts"], [])("test/wire/toolkit.test.ts"), true);
	});

	const WITHOUT_IMPORT = [
		["pages/console/groups.tsx", "test/browser/console-groups.test.ts"],
		["docs/errors.md", "test/docs/errors.test.ts"],
		["deploy/compose/compose.yaml", "test/deploy/compose.test.ts"],
		["bin/latchkey.js", "test/cli/serve.test.ts"],
		["package.json", "src/domain/group.test.ts"],
	] as const;
	for (const [changed, test] of WITHOUT_IMPORT) {
		it(`selects ${test} for ${changed}, which it does not import`, () => {
			assert.equal(reachedBy([changed], [])(test), true);
			assert.equal(reachedBy(["SECURITY.txt"], [])(test), false);
		});
	}

	it("reads the imports of the whole project", () => {
		const isReached = reachedBy(["src/domain/group.ts"], readImports());
		assert.equal(isReached("test/endpoints/groups.test.ts"), true);
		assert.equal(isReached("src/kernel/semaphore.test.ts"), false);
	});
});
