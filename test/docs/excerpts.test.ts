import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { allDocuments, readDocument, tableRows } from "./document.ts";

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
	const folders = globSync("src/**/", { cwd: new URL("../../", import.meta.url) })
		.map((path) => `${path.replaceAll("\\", "/").replace(/\/$/, "")}/`)
		// A feature is a folder of its wing, and a group of tables one of the engine interface.
		.filter((path) => path !== "src/" && path.split("/").length <= 4);
	const listed = tableRows(readDocument("docs/architecture.md")).flatMap(
		([cell = ""]) => /^`(src\/[^`]+\/)`$/.exec(cell.trim())?.[1] ?? [],
	);

	it("lists every folder of src once, and none that is gone", () => {
		assert.deepEqual(listed.toSorted(), folders.toSorted());
	});

	it("tells what each room owns", () => {
		const text = readDocument("docs/architecture.md");
		for (const path of folders.filter((folder) => folder.split("/").length === 3))
			assert.match(text, new RegExp(`^- \\*\\*${path.slice(4, -1)}\\*\\* owns? `, "m"));
	});
});
