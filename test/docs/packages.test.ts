// The console shows the middleware of docs/packages.md with the values of a gate filled in.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fillInGate } from "../../pages/console/gate/fill-in.ts";
import { MIDDLEWARE, type Middleware } from "../../pages/console/gate/middleware.ts";
import { packagesIn } from "../../scripts/pages/guide-code.ts";
import { headingId } from "../../src/pages/guide-entries.ts";
import { readDocument } from "./document.ts";

const text = readDocument("docs/packages.md");
const { files, packages, variables } = packagesIn(text);
const VALUES = { url: "https://id.example.com", applicationId: "0193f1a0-0000-7000-8000-000000000001" };

describe("the middleware in the console", () => {
	test("is all middleware of the guide", () => {
		const shown = MIDDLEWARE.flatMap((one): readonly string[] => one.files);
		const gates = Object.entries(files).filter(([, code]) =>
			/createGate|withGate|latchkey\.gate|latchkey\.Gate/.test(code),
		);
		assert.deepEqual(shown.toSorted(), gates.map(([name]) => name).toSorted());
	});

	for (const { label, anchor, install, run, files: names, ...one } of MIDDLEWARE as readonly Middleware[])
		test(`for ${label} says what the guide says`, () => {
			const section = sectionOf(anchor);
			for (const command of [install, run])
				if (command !== undefined) assert.ok(section.includes(`\`${command}\``), command);
			for (const name of names) assert.ok(section.includes(files[name] ?? "missing"), name);
			const command = fillInGate(packages[one.package]?.install ?? "", VALUES);
			assert.match(
				command,
				/^(?:npm install|pip install|curl .*) https:\/\/id\.example\.com\/docs\/packages\/latchkey-/,
			);
			assert.ok(text.includes(packages[one.package]?.install ?? "missing"));
		});

	test("gets the variables of the gate, without its key", () => {
		assert.deepEqual(fillInGate(variables, VALUES).split("\n"), [
			"export LK_BASE_URL=https://id.example.com",
			`export LK_APP_ID=${VALUES.applicationId}`,
			"export LK_GATE_KEY=gk_…",
			"export PORT=3000",
		]);
		const read = Object.values(files).flatMap((code) => code.match(/\bLK_(?:GATE|BASE|APP)\w+/g) ?? []);
		for (const name of read) assert.ok(variables.includes(`export ${name}=`), name);
	});
});

function sectionOf(anchor: string): string {
	const seen = new Map<string, number>();
	const found = text
		.split(/^#{2,} /m)
		.find((section) => headingId(section.split("\n")[0] ?? "", seen) === anchor);
	return found ?? assert.fail(`no section #${anchor}`);
}
