// Parses and checks the text file of a mail once, and fills it in for each mail.

import type { Block, Letter, Link } from "./layout.ts";

export interface LetterTemplate {
	readonly subject: string;
	readonly heading: string;
	readonly blocks: readonly TemplateBlock[];
	/** The names in `{…}`. */
	readonly placeholders: readonly string[];
}

interface TemplateBlock {
	readonly condition: Condition | undefined;
	readonly block: Block;
}

interface Condition {
	readonly parameter: string;
	/** False for `[unless …]`. */
	readonly shows: boolean;
	/** `is few` instead of "is not empty". */
	readonly few: boolean;
}

/** Returns the text of a parameter. */
type Fill = (parameter: string) => string;

const PLACEHOLDER = /\{([^{}]*)\}/g;
const CONDITION = /^\[(if|unless) ([A-Za-z]+)( is few)?\]\n/;
const HEADING = /^# (.+)$/;
const ACTION = /^\[([^\]]+)\]\((\{[A-Za-z]+Url\})\)$/;
const CODE = /^`(.+)`$/;
const FACT = /^- ([^:]+): (.+)$/;
const QUOTE = /^> ([^:]+): (.+)$/;
const LINKS = /^\* ([^:]+): \{([A-Za-z]+Links)\}$/;
const SMALL = /^~ (.+)$/s;
/** Shown for a fact without a value. */
const NO_VALUE = "–";

/**
 * Parses a text file. Paragraphs are separated by an empty line. The first is the subject and the heading, unless a
 * paragraph `# …` gives another heading. `[label]({…Url})` is a button, `` `{code}` `` a code, `- label: value` lines a
 * table of facts, `> label: text` a quotation, `* label: {…Links}` a list of links, `~ …` small print; the rest is text.
 * A first line `[if parameter]`, `[unless parameter]`, or `[if parameter is few]` makes a paragraph conditional; empty text counts as absent.
 *
 * @param parameters the names that `{…}` and conditions may use.
 * @throws Error that names the malformed part.
 */
export function parseLetter(text: string, parameters: readonly string[]): LetterTemplate {
	const [subject = "", ...rest] = text.trim().split(/\n\n+/);
	if (subject === "" || subject.includes("\n")) throw new Error("the subject must be one line");
	const heading = HEADING.exec(rest[0] ?? "")?.[1];
	const blocks = (heading === undefined ? rest : rest.slice(1)).map(parseBlock);
	if (blocks.length === 0) throw new Error("there is no text below the subject");
	const placeholders = [...new Set(placeholdersOf(text))];
	for (const name of [...conditionsOf(blocks), ...placeholders])
		if (!parameters.includes(name)) throw new Error(`unknown parameter: {${name}}`);
	return { subject, heading: heading ?? subject, blocks, placeholders };
}

function conditionsOf(blocks: readonly TemplateBlock[]): string[] {
	return blocks.flatMap(({ condition }) => condition?.parameter ?? []);
}

/** The names in `{…}`, each as often as it occurs. */
export function placeholdersOf(text: string): string[] {
	return [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
}

function parseBlock(paragraph: string): TemplateBlock {
	const [line = "", word, parameter = "", few] = CONDITION.exec(paragraph) ?? [];
	const body = paragraph.slice(line.length);
	const condition = line === "" ? undefined : { parameter, shows: word === "if", few: few !== undefined };
	return { condition, block: readBlock(body) };
}

function readBlock(body: string): Block {
	const [, label, url] = ACTION.exec(body) ?? [];
	if (label !== undefined && url !== undefined) return { kind: "action", label, url };
	const code = CODE.exec(body)?.[1];
	if (code !== undefined) return { kind: "code", code };
	const [, heading, links] = LINKS.exec(body) ?? [];
	if (heading !== undefined && links !== undefined)
		return { kind: "links", label: heading, rows: [{ title: `{${links}}`, url: "" }] };
	const [, title, quoted] = QUOTE.exec(body) ?? [];
	if (title !== undefined && quoted !== undefined) return { kind: "quote", label: title, text: quoted };
	const small = SMALL.exec(body)?.[1];
	if (small !== undefined) return { kind: "small", text: small };
	if (body.startsWith("- ")) return { kind: "facts", rows: body.split("\n").map(parseFact) };
	if (/^[[>~`#*]/.test(body)) throw new Error(`not a known kind of paragraph: ${body}`);
	return { kind: "text", text: body };
}

function parseFact(line: string): readonly [string, string] {
	const [, label, value] = FACT.exec(line) ?? [];
	if (label === undefined || value === undefined) throw new Error(`not a fact: ${line}`);
	return [label, value];
}

/** @param few whether a parameter counts as few, for `[if … is few]`. */
export function fillLetter(
	template: LetterTemplate,
	fill: Fill,
	few: (parameter: string) => boolean,
): Letter {
	const isShown = ({ condition }: TemplateBlock): boolean =>
		condition === undefined ||
		condition.shows === (condition.few ? few(condition.parameter) : fill(condition.parameter) !== "");
	return {
		subject: fillText(template.subject, fill),
		heading: fillText(template.heading, fill),
		blocks: template.blocks.filter(isShown).map(({ block }) => fillBlock(block, fill)),
	};
}

/** Replaces each `{name}` once: braces in a value stay as they are. */
export function fillText(text: string, fill: Fill): string {
	return text.replace(PLACEHOLDER, (_, name: string) => fill(name));
}

function fillBlock(block: Block, fill: Fill): Block {
	const filled = (text: string): string => fillText(text, fill);
	switch (block.kind) {
		case "action":
			return { ...block, label: filled(block.label), url: filled(block.url) };
		case "code":
			return { ...block, code: filled(block.code) };
		case "facts":
			return {
				...block,
				rows: block.rows.map(([label, value]) => [label, filled(value) || NO_VALUE] as const),
			};
		case "links":
			return {
				...block,
				rows: filled(block.rows[0]?.title ?? "")
					.split("\n")
					.map(parseLink),
			};
		case "text":
		case "small":
		case "quote":
			return { ...block, text: filled(block.text) };
	}
}

/** @param line title, space, URL */
function parseLink(line: string): Link {
	const at = line.lastIndexOf(" ");
	return { title: line.slice(0, at), url: line.slice(at + 1) };
}
