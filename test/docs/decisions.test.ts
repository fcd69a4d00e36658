import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allDocuments, readDocument, tableRows } from "./document.ts";

const FOLDER = "docs/decisions/";
const HEADING = /^## (?<number>\d+)\. (?<title>[^<]+?) <a id="\k<number>"><\/a>(?: <a id="\d+"><\/a>)*$/;

const topics = allDocuments()
	.filter((path) => path.startsWith(FOLDER) && !path.endsWith("README.md"))
	.map((path) => {
		const text = readDocument(path);
		return { file: path.slice(FOLDER.length), text, headings: text.match(/^## .*$/gm) ?? [] };
	});

describe("docs/decisions", () => {
	for (const { file, headings } of topics) {
		it(`gives every section of ${file} a number, a title and its anchor`, () => {
			assert.ok(headings.length > 0);
			for (const heading of headings) assert.match(heading, HEADING);
		});
	}

	it("uses every number once", () => {
		const anchors = topics.flatMap(({ text }) => text.match(/<a id="\d+">/g) ?? []);
		assert.deepEqual(
			anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index),
			[],
		);
	});

	it("lists every topic with its decisions in README.md", () => {
		const expected = topics.map(({ file, text, headings }) => {
			const [title = ""] = text.split("\n");
			const sections = headings.map((heading) => {
				const { number, title } = HEADING.exec(heading)?.groups ?? {};
				return `[${number}](${file}#${number}) ${title}`;
			});
			return [`[${title.replace("# ", "")}](${file})`, sections.join("<br>")];
		});
		const listed = tableRows(readDocument(`${FOLDER}README.md`));
		assert.deepEqual(listed.toSorted(), expected.toSorted());
	});
});
