// Runs the conformance plans of the OpenID Foundation and compares the results with docs/conformance.md.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";

/** Tests by their names in the plan. */
export type PlanTests = Readonly<Record<string, () => Promise<void>>>;

const HEADING = /^## .*\(`(oidcc-[a-z0-9-]+)`\)$/;
const ROW = /^\| `(oidcc-[a-z0-9-]+)` \| .+ \| (passed|refused) \|$/;

/** `<plan> <test> <result>` of each row. */
export function documentedResults(): readonly string[] {
	const text = readFileSync(join(import.meta.dirname, "../../../docs/conformance.md"), "utf8");
	let plan = "";
	return text.split("\n").flatMap((line) => {
		plan = HEADING.exec(line)?.[1] ?? plan;
		const [, name, result] = ROW.exec(line) ?? [];
		return name === undefined ? [] : [`${plan} ${name} ${result}`];
	});
}

/** Runs the tests and compares their names and results with the table of the plan. */
export function playPlan(plan: string, passed: PlanTests, refused: PlanTests = {}): void {
	describe(plan, () => {
		for (const [name, play] of Object.entries({ ...passed, ...refused })) it(name, play);

		it("matches docs/conformance.md", () => {
			const played = [
				...Object.keys(passed).map((name) => `${plan} ${name} passed`),
				...Object.keys(refused).map((name) => `${plan} ${name} refused`),
			];
			const listed = documentedResults().filter((row) => row.startsWith(`${plan} `));
			assert.deepEqual(listed.toSorted(), played.toSorted());
		});
	});
}
