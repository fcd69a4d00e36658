import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allDocuments, readDocument, sections, tableRows } from "./document.ts";

const FOLDER = "docs/decisions/";
const records = allDocuments().filter((path) => path.startsWith(FOLDER) && !path.endsWith("README.md"));

describe("docs/decisions", () => {
	it("gives every record a number of its own, and its heading the same", () => {
		const numbers = records.map((path) => Number(path.slice(FOLDER.length, FOLDER.length + 4)));
		assert.equal(new Set(numbers).size, numbers.length);
		const headed = records.map((path) => Number(/^# (\d+)\. /.exec(readDocument(path))?.[1]));
		assert.deepEqual(headed, numbers);
	});

	it("lists every record under its title", () => {
		const listed = tableRows(readDocument(`${FOLDER}README.md`)).map((cells) => cells.join(" "));
		assert.deepEqual(
			listed,
			records.map((path) => {
				const [heading = ""] = readDocument(path).split("\n");
				const file = path.slice(FOLDER.length);
				return `[${file.slice(0, 4)}](${file}) ${heading.replace(/^# \d+\. /, "")}`;
			}),
		);
	});

	for (const path of records) {
		it(`has context, decision and consequences in ${path.slice(FOLDER.length)}`, () => {
			assert.deepEqual([...sections(readDocument(path)).keys()], ["Context", "Decision", "Consequences"]);
		});
	}
});
