// The changelog after merges and releases: each entry once, versions in order, the newest released by the package version or before it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { readDocument, sections } from "./document.ts";

const text = readDocument("CHANGELOG.md");
const parts = sections(text);
const headings = [...parts.keys()];

describe("CHANGELOG.md", () => {
	it("has Unreleased first, then versions with dates, the newest of the package unless it is unreleased", () => {
		const [first, ...versions] = headings;
		assert.equal(first, "Unreleased");
		for (const heading of versions) assert.match(heading, /^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$/);
		const [newest = "0.0.0"] = versions.map((heading) => heading.split(" ")[0]);
		const isReleased = parts.get("Unreleased")?.trim() === "";
		const order = newest.localeCompare(packageJson.version, "en", { numeric: true });
		assert.equal(order, isReleased ? 0 : -1, `${newest} before ${packageJson.version}`);
		const dates = versions.map((heading) => heading.slice(-10));
		assert.deepEqual(dates, dates.toSorted().reverse());
	});

	it("has each version once, and each area of a version once, with entries", () => {
		assert.equal((text.match(/^## .+$/gm) ?? []).length, headings.length);
		for (const [version, part] of parts) {
			const [, ...areas] = part.split(/^### /m);
			const names = areas.map((area) => area.slice(0, area.indexOf("\n")));
			assert.equal(new Set(names).size, names.length, version);
			for (const area of areas) assert.match(area, /^- /m);
		}
	});

	it("has each entry once", () => {
		// A line that contains only a link may be repeated.
		const lines = text.split("\n").filter((line) => /^(?:- | {2}[^[])/.test(line));
		assert.deepEqual(
			lines.filter((line, index) => lines.indexOf(line) !== index),
			[],
		);
	});
});
