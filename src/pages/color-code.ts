// Colors code in the guides: comments, strings, keywords, and names of settings; nothing that would need a parser.

import { escapeHtml } from "../http/run/browser-page.ts";

/** What one part of the code is; also the class of its element. */
type Part = "comment" | "string" | "keyword" | "name";

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const TEMPLATE = /`(?:[^`\\]|\\.)*`/;
const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
/** Not inside a word or an address: `#` begins a comment after white space. */
const HASH = /(?<![^\s])#[^\n]*/;
const WORDS = {
	c: "as async await break case catch class const continue default defer else export extends final finally for from func function go if implements import in instanceof interface let new nil null package private public return satisfies static string switch this throw throws true false try type typeof undefined using var void while",
	python:
		"and as assert async await class def elif else except False finally for from if import in is lambda None not or pass raise return True try while with yield",
	php: "as catch class const echo else extends false fn for foreach function if instanceof namespace new null private public return static throw true try use while",
	ruby: "begin class def do else end ensure false if module nil require rescue return self then true unless while",
	shell: "case do done elif else esac export fi for function if in local read set then while",
};
const keywords = (words: string): RegExp =>
	new RegExp(`(?<![\\w$.-])(?:${words.replaceAll(" ", "|")})(?![\\w-])(?!\\s*[:=]\\s)`);

type Grammar = readonly (readonly [Part, RegExp])[];

const C_LIKE: Grammar = [
	["comment", SLASHES],
	["string", TEMPLATE],
	["string", STRING],
	["keyword", keywords(WORDS.c)],
];
const SHELL: Grammar = [
	["comment", HASH],
	["string", STRING],
	["name", /(?<=^|[\s;(])[A-Z][A-Z0-9_]*(?==)|\$\{?[A-Za-z_]\w*\}?/],
	["keyword", keywords(WORDS.shell)],
];
const hashed = (words: string): Grammar => [
	["comment", HASH],
	["string", /"""[\s\S]*?"""/],
	["string", STRING],
	["keyword", keywords(words)],
];
const GRAMMARS: Readonly<Record<string, Grammar>> = {
	apache: [
		["comment", HASH],
		["string", STRING],
		["keyword", /^[ \t]*<?\/?[A-Z]\w+>?/],
	],
	console: SHELL,
	csharp: C_LIKE,
	go: C_LIKE,
	http: [
		["keyword", /(?<=^)(?:GET|POST|PUT|PATCH|DELETE)(?= )|HTTP\/1\.1/],
		["name", /(?<=^)[A-Za-z-]+(?=: )/],
		["string", STRING],
	],
	java: C_LIKE,
	js: C_LIKE,
	json: [
		["name", /"(?:[^"\\\n]|\\.)*"(?=\s*:)/],
		["string", STRING],
		["keyword", /\b(?:true|false|null)\b/],
	],
	php: [["comment", SLASHES], ...hashed(WORDS.php)],
	python: hashed(WORDS.python),
	ruby: hashed(WORDS.ruby),
	sh: SHELL,
	ts: C_LIKE,
	tsx: C_LIKE,
	yaml: [
		["comment", HASH],
		["name", /^[ \t]*(?:- )?[\w.-]+(?=:(?:\s|$))/],
		["string", STRING],
	],
};

/** One expression of each language, with a group for each part. */
const EXPRESSIONS = new Map(
	Object.entries(GRAMMARS).map(([language, grammar]) => [
		language,
		{
			parts: grammar.map(([part]) => part),
			pattern: new RegExp(grammar.map(([, { source }]) => `(${source})`).join("|"), "gm"),
		},
	]),
);

/** @returns HTML; the text of a language without a grammar is only escaped */
export function colorCode(code: string, language: string): string {
	const expression = EXPRESSIONS.get(language);
	if (expression === undefined) return escapeHtml(code);
	let html = "";
	let from = 0;
	for (const match of code.matchAll(expression.pattern)) {
		const part = expression.parts[match.slice(1).findIndex((group) => group !== undefined)];
		html += `${escapeHtml(code.slice(from, match.index))}<span class="c-${part}">${escapeHtml(match[0])}</span>`;
		from = match.index + match[0].length;
	}
	return html + escapeHtml(code.slice(from));
}
