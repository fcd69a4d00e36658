import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { allDocuments, readDocument } from "./document.ts";

describe("code shown in documents", () => {
	for (const path of allDocuments()) {
		const excerpts = [...readDocument(path).matchAll(/^```ts\n\/\/ ((?:src|test)\/\S+\.ts)\n(.*?)^```$/gms)];
		for (const [, file = "", code = ""] of excerpts) {
			it(`${path} quotes ${file} as it is`, () => {
				const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
				assert.ok(source.includes(code), `not in ${file}:\n${code}`);
			});
		}
	}

	it("exists", () => {
		assert.match(readDocument("docs/architecture.md"), /^```ts\n\/\/ src\//m);
	});
});

describe("README.md", () => {
	it("shows actual steps of the tour", () => {
		const walk = readFileSync(new URL("../tour/walk.ts", import.meta.url), "utf8");
		const steps = [...readDocument("README.md").matchAll(/^\d\. (.+)$/gm)].map(([, step]) => step as string);
		assert.ok(steps.length > 0);
		for (const step of steps) assert.ok(walk.includes(step), step);
	});
});

describe("docs/architecture.md", () => {
	it("lists every folder", () => {
		const rooms = readdirSync(new URL("../../src/", import.meta.url), { withFileTypes: true });
		const text = readDocument("docs/architecture.md");
		for (const { name } of rooms.filter((room) => room.isDirectory()))
			assert.ok(text.includes(`\`src/${name}/`), `src/${name}/`);
	});
});
