// `npm run language`: counts words that CONTRIBUTING.md replaces by standard terms, in comments, texts and documents.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";

/** Words and phrases with a plainer equivalent; CONTRIBUTING.md, "Style", shows what to write instead. */
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
/** Occurrences that are tolerated in 1,000 words. */
const TOLERATED = 1;

interface Text {
	readonly file: string;
	readonly line: number;
	readonly text: string;
}

const pattern = new RegExp(`\\b(?:${AVOIDED.join("|")})\\b`, "gi");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
	.trim()
	.split("\n");
const comments: Text[] = [];
const strings: Text[] = [];
const documents: Text[] = [];
for (const file of files) {
	if (/^(src|test|bench|scripts)\/.*\.ts$/.test(file) && file !== "scripts/check-language.ts") readCode(file);
	else if (/\.md$/.test(file) && file !== "CONTRIBUTING.md")
		documents.push({ file, line: 1, text: prose(file) });
}
const isOver = [
	report("comments", comments),
	report("texts", strings),
	report("documents", documents),
].includes(true);
process.exitCode = isOver ? 1 : 0;

function readCode(file: string): void {
	const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
	const seen = new Set<number>();
	const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
	const visit = (node: ts.Node): void => {
		for (const { pos, end } of ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []) {
			if (seen.has(pos)) continue;
			seen.add(pos);
			comments.push({ file, line: lineOf(pos), text: source.text.slice(pos, end) });
		}
		if (
			(ts.isStringLiteralLike(node) ||
				ts.isTemplateHead(node) ||
				ts.isTemplateMiddle(node) ||
				ts.isTemplateTail(node)) &&
			/ \w+ /.test(node.text)
		)
			strings.push({ file, line: lineOf(node.getStart()), text: node.text });
		node.getChildren(source).forEach(visit);
	};
	visit(source);
}

/** A document without its code blocks: line numbers stay. */
function prose(file: string): string {
	return readFileSync(file, "utf8").replaceAll(/^```[\s\S]*?^```/gm, (block) =>
		block.replaceAll(/[^\n]/g, ""),
	);
}

/** @returns whether there are more than is tolerated. */
function report(kind: string, texts: readonly Text[]): boolean {
	let words = 0;
	const found: string[] = [];
	for (const { file, line, text } of texts) {
		words += text.match(/[A-Za-z]+/g)?.length ?? 0;
		for (const match of text.matchAll(pattern)) {
			const at = line + text.slice(0, match.index).split("\n").length - 1;
			found.push(`${file}:${at}: ${match[0]}`);
		}
	}
	const perThousand = (found.length * 1_000) / Math.max(1, words);
	console.log(
		`${kind}: ${found.length} in ${words} words, ${perThousand.toFixed(2)} per 1,000 (at most ${TOLERATED})`,
	);
	if (process.argv.includes("--list") || perThousand > TOLERATED)
		for (const place of found) console.log(`  ${place}`);
	return perThousand > TOLERATED;
}
