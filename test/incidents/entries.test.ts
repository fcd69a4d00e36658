// Each entry of docs/incidents.md says what to see, do, and expect, and a test runs its blocks.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readDocument, sections } from "../docs/document.ts";

const page = readDocument("docs/incidents.md");
const entries = sections(page);

describe("docs/incidents.md", () => {
	test("has a test of each entry, and lists each in its first table", () => {
		const tested = globSync("*.test.ts", { cwd: import.meta.dirname }).flatMap((file) =>
			[...readFileSync(`${import.meta.dirname}/${file}`, "utf8").matchAll(/stepsOf\("([^"]+)"\)/g)].map(
				([, heading = ""]) => heading,
			),
		);
		assert.deepEqual([...new Set(tested)].sort(), [...entries.keys()].sort());
		const [table = ""] = page.split("\n## ");
		for (const heading of entries.keys())
			assert.ok(table.includes(`(#${heading.toLowerCase().replaceAll(" ", "-")})`), heading);
	});

	for (const [heading, text] of entries)
		test(`has the four parts of "${heading}"`, () => {
			for (const part of ["**You see**", "**Do**", "**It worked**", "**It costs**"])
				assert.ok(text.includes(part), part);
		});
});
