// The web toolkit has rules for guards and routes. A feature path in it would be a rule by prefix.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** Paths that the toolkit itself serves or links to. */
const OWN_PATHS = ["/docs/errors", "/metrics", "/openapi.json", "/pages/page.css"];

test("src/http contains no path of a feature", () => {
	const root = new URL("../../", import.meta.url);
	for (const file of globSync("src/http/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })) {
		const code = readFileSync(new URL(file, root), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
		for (const [, path = ""] of code.matchAll(/["'`](\/[a-z][\w./-]*)/g))
			assert.ok(OWN_PATHS.includes(path), `${file}: ${path}`);
	}
});
