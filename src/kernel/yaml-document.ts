// Reads and writes YAML 1.2 with its core schema, without what makes a document mean more than it says: tags, anchors and
// aliases, merge keys, keys that occur twice, and `__proto__`.

import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

/** `line` counts from 1; `message` continues a sentence. */
export interface YamlProblem {
	readonly line: number;
	readonly message: string;
}

/** A text in a document: its place in the source, from the first character to after the last one. */
export interface YamlText {
	readonly path: readonly string[];
	readonly value: string;
	readonly start: number;
	readonly end: number;
	readonly line: number;
	/** Written without quotes, on one line. */
	readonly isPlain: boolean;
	/** Where the key of its pair begins; undefined for an item of a list. */
	readonly keyStart: number | undefined;
}

export interface YamlDocument {
	readonly value: unknown;
	readonly texts: readonly YamlText[];
	/** The line of a field such as `groups.Staff.description`, or of the nearest one around it. */
	lineOf(field: string): number;
}

const MAX_PROBLEMS = 20;

let loaded: typeof import("yaml") | undefined;

async function library(): Promise<typeof import("yaml")> {
	loaded ??= await import("yaml");
	return loaded;
}

function firstOfLines(problems: readonly YamlProblem[]): YamlProblem[] {
	const byLine = new Map([...problems].reverse().map((problem) => [problem.line, problem]));
	return [...byLine.values()].sort((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
}

export async function parseYaml(
	source: string,
): Promise<YamlDocument | { readonly problems: YamlProblem[] }> {
	const yaml = await library();
	const lines = new yaml.LineCounter();
	const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
	let document: Document.Parsed;
	try {
		document = yaml.parseDocument(source, {
			version: "1.2",
			schema: "core",
			merge: false,
			strict: true,
			stringKeys: true,
			// Checked below: the library compares every key with every other one.
			uniqueKeys: false,
			prettyErrors: false,
			resolveKnownTags: false,
			lineCounter: lines,
		});
	} catch (error) {
		// Of a document that is nested too deeply for the stack.
		if (error instanceof RangeError) return { problems: [{ line: 1, message: "is nested too deeply" }] };
		throw error;
	}
	const problems = document.errors.map(({ pos: [start], code }) => ({
		line: lineAt(start),
		message: `is not valid YAML (${code.toLowerCase()})`,
	}));
	if (problems.length > 0) return { problems: firstOfLines(problems) };
	const texts: YamlText[] = [];
	yaml.visit(document, {
		Node(_key, node) {
			const found = refusedPart(node as Node & { tag?: string; anchor?: string }, yaml.isAlias(node));
			if (found !== undefined)
				problems.push({ line: lineAt(node.range?.[0] ?? 0), message: `must not contain ${found}` });
			if (isMap(node)) problems.push(...refusedKeys(node, lineAt));
		},
	});
	if (problems.length > 0) return { problems: firstOfLines(problems) };
	collectTexts(document.contents, [], texts, lineAt, undefined);
	return {
		value: document.toJS() as unknown,
		texts,
		lineOf: (field) => lineAt(offsetOf(document.contents, field)),
	};
}

/** Keys in the order of the object; texts are never folded. */
export async function writeYaml(value: unknown): Promise<string> {
	return (await library()).stringify(value, { lineWidth: 0, version: "1.2", schema: "core" });
}

function refusedPart(
	{ tag, anchor }: { tag?: string; anchor?: string },
	isAlias: boolean,
): string | undefined {
	if (isAlias) return "an alias";
	if (anchor !== undefined) return "an anchor";
	return tag === undefined ? undefined : "a tag";
}

function refusedKeys(map: YAMLMap<Scalar, Node>, lineAt: (offset: number) => number): YamlProblem[] {
	const seen = new Set<string>();
	const problems: YamlProblem[] = [];
	for (const { key } of map.items) {
		const name = String(key.value);
		const line = lineAt(key.range?.[0] ?? 0);
		if (name === "<<") problems.push({ line, message: "must not contain a merge key" });
		if (name === "__proto__") problems.push({ line, message: "must not contain the key __proto__" });
		// Only values are expanded.
		if (name.includes("${")) problems.push({ line, message: "must not contain ${ in a key" });
		if (seen.has(name)) problems.push({ line, message: `has the key ${shown(name)} twice` });
		seen.add(name);
	}
	return problems;
}

function shown(name: string): string {
	return name.length > 64 ? `${name.slice(0, 63)}…` : name;
}

type Part = Node | null | undefined;

function isMap(part: Part): part is YAMLMap<Scalar, Node> {
	return loaded?.isMap(part) === true;
}

function isList(part: Part): part is YAMLSeq<Node> {
	return loaded?.isSeq(part) === true;
}

function collectTexts(
	part: Part,
	path: readonly string[],
	texts: YamlText[],
	lineAt: (offset: number) => number,
	keyStart: number | undefined,
): void {
	if (isMap(part))
		for (const { key, value } of part.items as Pair<Scalar, Node>[])
			collectTexts(value, [...path, String(key.value)], texts, lineAt, key.range?.[0]);
	else if (isList(part))
		for (const [index, item] of part.items.entries())
			collectTexts(item, [...path, String(index)], texts, lineAt, undefined);
	else if (part !== null && part !== undefined && "value" in part && typeof part.value === "string") {
		const [start = 0, end = 0] = part.range ?? [];
		const isPlain = (part as Scalar).type === "PLAIN";
		texts.push({ path, value: part.value, start, end, line: lineAt(start), isPlain, keyStart });
	}
}

/** Names in a field may contain dots, so the longest one that fits is taken. */
function offsetOf(part: Part, field: string): number {
	const own = part?.range?.[0] ?? 0;
	if (field === "") return own;
	if (isList(part)) {
		const [index = "", ...rest] = field.split(".");
		const item = part.items[Number(index)];
		return item === undefined ? own : offsetOf(item, rest.join("."));
	}
	if (!isMap(part)) return own;
	let best: Pair<Scalar, Node> | undefined;
	for (const pair of part.items) {
		const name = String(pair.key.value);
		if (field !== name && !field.startsWith(`${name}.`)) continue;
		if (best === undefined || name.length > String(best.key.value).length) best = pair;
	}
	if (best === undefined) return own;
	const rest = field.slice(String(best.key.value).length + 1);
	const inner = best.value;
	return rest !== "" && (isMap(inner) || isList(inner)) && hasField(inner, rest)
		? offsetOf(inner, rest)
		: (best.key.range?.[0] ?? own);
}

function hasField(part: Part, field: string): boolean {
	const [first = ""] = field.split(".");
	if (isList(part)) return part.items[Number(first)] !== undefined;
	return (
		isMap(part) && part.items.some(({ key }) => field === key.value || field.startsWith(`${key.value}.`))
	);
}
