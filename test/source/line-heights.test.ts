// Line heights of the pages are numbers, except the default in steps of 4 px: WebKit zooms a length twice if only text is zoomed.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("every line height is a number, except the fallback of base.css", () => {
	const lengths = [...globSync("pages/**/*.css"), "src/pages/page.css"].flatMap((file) =>
		[...readFileSync(file, "utf8").matchAll(/\n\t*line-height:\s*([^;]+);/g)]
			.map(([, value = ""]) => value)
			.filter((value) => !/^(?:[0-9.]+|inherit|calc\(round\(1\.4em, 0\.25rem\) \/ 1em\))$/.test(value))
			.map((value) => `${file}: ${value}`),
	);
	assert.deepEqual([...new Set(lengths)], ["pages/ui/base.css: round(1.4em, 0.25rem)"]);
});
