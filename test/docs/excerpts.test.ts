import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { allDocuments, readDocument } from "./document.ts";

describe("code shown in documents", () => {
	for (const path of allDocuments()) {
		const excerpts = [...readDocument(path).matchAll(/^```ts\n\/\/ (src\/\S+\.ts)\n(.*?)^```$/gms)];
		for (const [, file = "", code = ""] of excerpts) {
			it(`${path} quotes ${file} as it is`, () => {
				const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
				assert.ok(source.includes(code), `not in ${file}:\n${code}`);
			});
		}
	}

	it("is found at all", () => {
		assert.match(readDocument("docs/architecture.md"), /^```ts\n\/\/ src\//m);
	});
});
