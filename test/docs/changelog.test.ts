// The changelog after merges and releases: each entry once, versions in order, the newest that of the package.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { readDocument, sections } from "./document.ts";

const AUDIENCES = ["For those who integrate", "For those who operate", "For those who contribute"];
const text = readDocument("CHANGELOG.md");
const parts = sections(text);
const headings = [...parts.keys()];

describe("CHANGELOG.md", () => {
	it("has Unreleased first, then versions with dates, the newest that of the package", () => {
		const [first, ...versions] = headings;
		assert.equal(first, "Unreleased");
		for (const heading of versions) assert.match(heading, /^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$/);
		assert.ok(versions[0]?.startsWith(`${packageJson.version} - `), headings.join());
		const dates = versions.map((heading) => heading.slice(-10));
		assert.deepEqual(dates, dates.toSorted().reverse());
	});

	it("has every heading once, and speaks to known readers", () => {
		const all = text.match(/^## .+$/gm) ?? [];
		assert.deepEqual(all.length, headings.length);
		for (const [version, part] of parts) {
			const readers = [...part.matchAll(/^### (.+)$/gm)].map(([, reader = ""]) => reader);
			assert.deepEqual(
				readers,
				AUDIENCES.filter((reader) => readers.includes(reader)),
				version,
			);
		}
	});

	it("has every line of an entry once", () => {
		// A line with only a link may come twice.
		const lines = text.split("\n").filter((line) => /^(?:- | {2}[^[])/.test(line));
		assert.deepEqual(
			lines.filter((line, index) => lines.indexOf(line) !== index),
			[],
		);
	});
});
