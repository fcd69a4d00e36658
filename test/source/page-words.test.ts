// The build derives the texts that a page loads first, and those of each screen, from its sources.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { build, type Metafile } from "esbuild";
import { modulesOf } from "../../scripts/pages/document-modules.ts";
import { lastingFolder } from "../harness/runs/folder.ts";

const SOURCES: Readonly<Record<string, string>> = {
	"main.tsx": `import "./shown.tsx"; import "./words/words.ts";
		import("./a.tsx"); import("./b.tsx"); import("./c.tsx"); import("./d.tsx");`,
	"shown.tsx": `import "./shown.css"; import { useWords, findWords } from "./words/words.ts"; useWords("home"); findWords("errors");`,
	"a.tsx": `import "./of-four.tsx"; import "./of-three.tsx"; import "./a.css"; import { useWords } from "./words/words.ts"; useWords("a");`,
	"b.tsx": `import "./of-four.tsx"; import "./of-three.tsx";`,
	"c.tsx": `import "./of-four.tsx"; import "./of-three.tsx";`,
	"d.tsx": `import "./of-four.tsx";`,
	"of-four.tsx": "console.log(4);",
	"of-three.tsx": "console.log(3);",
	"shown.css": "",
	"a.css": "",
	"words/words.ts": "export const useWords = (area: string) => area; export const findWords = useWords;",
};

describe("the modules of a document", () => {
	const root = lastingFolder();
	before(() => {
		mkdirSync(join(root, "pages/words"), { recursive: true });
		for (const [name, source] of Object.entries(SOURCES)) writeFileSync(join(root, "pages", name), source);
	});

	test("are in its own script if the first view uses them or four parts share them", async () => {
		const { own, parts } = modulesOf(await metafileOf(root), "pages/main.tsx", root);
		assert.deepEqual([...own].sort(), ["pages/of-four.tsx", "pages/shown.tsx", "pages/words/words.ts"]);
		assert.deepEqual([...parts].sort(), ["pages/a.tsx", "pages/b.tsx", "pages/c.tsx", "pages/d.tsx"]);
	});

	test("bring the styles of all parts, in the order of the imports", async () => {
		const { styles } = modulesOf(await metafileOf(root), "pages/main.tsx", root);
		assert.deepEqual(styles, ["pages/shown.css", "pages/a.css"]);
	});

	test("separate the texts of the first view from those loaded later", async () => {
		const { firstAreas, laterAreas } = modulesOf(await metafileOf(root), "pages/main.tsx", root);
		assert.deepEqual(firstAreas, ["home"]);
		assert.deepEqual([...laterAreas].sort(), ["a", "errors"]);
	});

	test("are refused if the name of an area is not a literal", async () => {
		const metafile = await metafileOf(root);
		const c = join(root, "pages/c.tsx");
		writeFileSync(c, `import { useWords } from "./words/words.ts"; const area = "c"; useWords(area);`);
		assert.throws(() => modulesOf(metafile, "pages/main.tsx", root), /pages\/c\.tsx: useWords\(\)/);
		writeFileSync(c, SOURCES["c.tsx"] ?? "");
	});
});

async function metafileOf(root: string): Promise<Metafile> {
	const { metafile } = await build({
		absWorkingDir: root,
		entryPoints: ["pages/main.tsx"],
		outdir: "out",
		bundle: true,
		write: false,
		metafile: true,
		format: "esm",
		splitting: true,
		loader: { ".css": "empty" },
	});
	return metafile;
}
