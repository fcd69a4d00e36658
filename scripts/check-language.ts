// `npm run language`: counts words that CONTRIBUTING.md replaces with standard terms, in comments, texts and documents.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";

/**
 * Words and phrases with a plainer equivalent that depends on the sentence; the glossary adds those with a fixed one.
 */
const AVOIDED = [
	"whoever",
	"whomever",
	"whatever",
	"nobody",
	"somebody",
	"told",
	"anew",
	"in vain",
	"of ours",
	"given up",
	"gives up",
	"made of",
	"looks at",
	"looked at",
	"makes good",
	"is asked",
	"are asked",
	"stands for",
	"stand for",
	"yet to be",
	"for good",
	"whereupon",
	"thereupon",
	"lest",
	"thrice",
];
/**
 * Tolerated occurrences per 1,000 words: the present ones, some of which are right, such as "known answer". Lower the
 * limits whenever the tree allows it.
 */
const TOLERATED = {
	comments: { avoided: 0.04, glossary: 0.1 },
	texts: { avoided: 0.14, glossary: 0.21 },
	documents: { avoided: 0.14, glossary: 0.24 },
};

interface Text {
	readonly file: string;
	readonly line: number;
	readonly text: string;
}

/** Skips parts of names: `answer` in `/answer`, `answer-id` and `answer.id` is not prose. */
const patternOf = (words: readonly string[]): RegExp =>
	new RegExp(`(?<![\\w./-])(?:${words.join("|")})(?![\\w/-]|\\.\\w)`, "gi");
const patterns = {
	avoided: patternOf(AVOIDED),
	glossary: patternOf(
		readGlossary()
			.filter((word) => !AVOIDED.includes(word))
			.map(inflected),
	),
};
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
	.trim()
	.split("\n")
	.filter((file) => existsSync(file));
const comments: Text[] = [];
const strings: Text[] = [];
const documents: Text[] = [];
for (const file of files) {
	if (
		/^(src|pages|packages|test|bench|scripts)\/.*\.tsx?$/.test(file) &&
		file !== "scripts/check-language.ts"
	)
		readCode(file);
	else if (/\.md$/.test(file) && file !== "CONTRIBUTING.md")
		documents.push({ file, line: 1, text: prose(readFileSync(file, "utf8")) });
}
const isOver = [
	report("comments", comments),
	report("texts", strings),
	report("documents", documents),
].includes(true);
process.exitCode = isOver ? 1 : 0;

/**
 * The words in the column "Instead of" of the glossary, separated by commas. A word with a note in parentheses, like
 * "end (a session)", depends on its sentence and is left to the reader.
 */
function readGlossary(): string[] {
	const [, rows] =
		/^\| Use +\| For +\| Instead of +\|\n\|[ -|]+\n((?:\|.*\n)+)/m.exec(
			readFileSync("CONTRIBUTING.md", "utf8"),
		) ?? [];
	if (rows === undefined)
		throw new Error("CONTRIBUTING.md has no table with the columns Use, For, Instead of");
	return [...rows.matchAll(/([^|\n]*)\|\n/g)]
		.flatMap(([, cell = ""]) => cell.split(","))
		.map((word) => word.replaceAll(/[`"]/g, "").trim())
		.filter((word) => /^[a-z][a-z' -]*$/i.test(word));
}

/** A pattern for the word and its regular forms: "answer" also matches "answers", "answered" and "answering". */
function inflected(word: string): string {
	if (word.endsWith("y")) return `${word.slice(0, -1)}(?:y|ies|ied|ying)`;
	return word.endsWith("e") ? `${word.slice(0, -1)}(?:e|es|ed|ing)` : `${word}(?:s|es|ed|ing)?`;
}

function readCode(file: string): void {
	const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
	const seen = new Set<number>();
	const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
	const visit = (node: ts.Node): void => {
		for (const { pos, end } of ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []) {
			if (seen.has(pos)) continue;
			seen.add(pos);
			comments.push({ file, line: lineOf(pos), text: prose(source.text.slice(pos, end)) });
		}
		if (isProse(node)) strings.push({ file, line: lineOf(node.getStart()), text: prose(node.text) });
		node.getChildren(source).forEach(visit);
	};
	visit(source);
}

/** Texts of several words, except SQL and word lists. */
function isProse(node: ts.Node): node is ts.LiteralLikeNode {
	return (
		(ts.isStringLiteralLike(node) ||
			ts.isTemplateHead(node) ||
			ts.isTemplateMiddle(node) ||
			ts.isTemplateTail(node) ||
			ts.isJsxText(node)) &&
		/ \w+ /.test(node.text) &&
		!/^\s*(?:[a-z0-9]+\s+){25}/.test(node.text) &&
		!/\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE|JOIN|AND|OR|SET)\b/.test(node.text)
	);
}

/** The text without code, link targets and quotations; line numbers stay. */
function prose(text: string): string {
	return text.replaceAll(
		/^```[\s\S]*?^```|`[^`]*`|\]\([^)\s]*\)|<[^>\n]*>|^>.*|"[^"\n]*"|“[^”\n]*”/gm,
		(excluded) => excluded.replaceAll(/[^\n]/g, ""),
	);
}

/** @returns whether more are found than tolerated. */
function report(kind: keyof typeof TOLERATED, texts: readonly Text[]): boolean {
	const total = texts.reduce((sum, { text }) => sum + (text.match(/[A-Za-z]+/g)?.length ?? 0), 0);
	return (["avoided", "glossary"] as const)
		.map((list) => {
			const found = texts.flatMap((text) => placesOf(patterns[list], text));
			const perThousand = (found.length * 1_000) / Math.max(1, total);
			const tolerated = TOLERATED[kind][list];
			const rate = `${perThousand.toFixed(2)} per 1,000 (at most ${tolerated})`;
			console.log(`${kind}, ${list}: ${found.length} in ${total} words, ${rate}`);
			if (process.argv.includes("--list") || perThousand > tolerated)
				for (const place of found) console.log(`  ${place}`);
			return perThousand > tolerated;
		})
		.includes(true);
}

function placesOf(pattern: RegExp, { file, line, text }: Text): string[] {
	return [...text.matchAll(pattern)].map(
		(match) => `${file}:${line + text.slice(0, match.index).split("\n").length - 1}: ${match[0]}`,
	);
}
