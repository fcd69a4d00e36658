// Instructions quote labels of the console: a renamed label would send readers to something that no longer exists.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { allDocuments, readDocument } from "./document.ts";

/** A quoted label after the words of an instruction, with the period inside or outside the quotes. */
const QUOTED_LABEL =
	/\b(?:[Uu]nder|[Cc]hoose|[Cc]lick|[Ss]elect|[Oo]pen|[Pp]ress|As|as the)\s+"([^"\n]+?)[.,]?"/g;

test("every label that a document tells readers to choose exists in the pages", () => {
	const words = globSync("pages/words/**/en.ts")
		.map((file) => readFileSync(file, "utf8"))
		.join("\n");
	const labels = allDocuments()
		.filter((path) => !/zh-cn|decisions|CHANGELOG/.test(path))
		.flatMap((path) =>
			[...readDocument(path).matchAll(QUOTED_LABEL)].map(([, label = ""]) => ({ path, label })),
		);
	assert.ok(labels.length >= 10, `only ${labels.length} labels were found`);
	assert.deepEqual(
		labels.filter(({ label }) => !words.includes(`"${label}"`)),
		[],
	);
});
