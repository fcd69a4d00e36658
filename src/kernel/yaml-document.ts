// Reads and writes YAML 1.2 with its core schema, without what makes a document mean more than it says: tags, anchors and
// aliases, merge keys, keys that occur twice, and `__proto__`.

import type { Document, Node, Scalar, YAMLMap, YAMLSeq } from "yaml";

/** `line` counts from 1; `message` continues a sentence. */
export interface YamlProblem {
	readonly line: number;
	readonly message: string;
}

/**
 * A text that only the command reads: one with `${`, or the value of a `secret_file`. With its place in the source, from the first
 * character to after the last one.
 */
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

/** The line of a value, or of its key; and what is in it, by key or index. */
export type YamlPlace = readonly [line: number, inside?: Readonly<Record<string, YamlPlace>>];

export interface YamlDocument {
	readonly value: unknown;
	readonly texts: readonly YamlText[];
	readonly place: YamlPlace;
}

const MAX_PROBLEMS = 20;
/** Keys, items, and values: more than a file of 1 MiB has that is written in lines. */
const MAX_NODES = 100_000;

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
	let nodes = 0;
	yaml.visit(document, {
		Node(_key, node) {
			if (++nodes > MAX_NODES) return yaml.visit.BREAK;
			const found = refusedPart(node as Node & { value?: unknown }, yaml.isAlias(node));
			if (found !== undefined)
				problems.push({ line: lineAt(node.range?.[0] ?? 0), message: `must not contain ${found}` });
			if (isMap(node)) problems.push(...refusedKeys(node, lineAt));
			return undefined;
		},
	});
	if (nodes > MAX_NODES)
		problems.push({ line: 1, message: `must not have more than ${MAX_NODES} keys and values` });
	if (problems.length > 0) return { problems: firstOfLines(problems) };
	const texts: YamlText[] = [];
	const place = placeOf(document.contents, [], texts, lineAt, undefined);
	return { value: document.toJS() as unknown, texts, place };
}

/** The line of a field such as `groups.Staff.description`, or of the nearest one around it. */
export function lineOf([line, inside]: YamlPlace, field: string): number {
	if (inside === undefined) return line;
	// Names may contain dots, so the longest one that fits is taken.
	for (let end = field.length; end > 0; end = field.lastIndexOf(".", end - 1)) {
		const name = field.slice(0, end);
		const found = Object.hasOwn(inside, name) ? inside[name] : undefined;
		if (found !== undefined) return lineOf(found, field.slice(end + 1));
	}
	return line;
}

/** Keys in the order of the object; texts are never folded. */
export async function writeYaml(value: unknown): Promise<string> {
	return (await library()).stringify(value, { lineWidth: 0, version: "1.2", schema: "core" });
}

function refusedPart(
	{ tag, anchor, value }: { tag?: string; anchor?: string; value?: unknown },
	isAlias: boolean,
): string | undefined {
	if (isAlias) return "an alias";
	if (anchor !== undefined) return "an anchor";
	if (typeof value === "number" && !Number.isFinite(value)) return "an infinite number";
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

/** Also collects the texts that only the command reads. */
function placeOf(
	part: Part,
	path: readonly string[],
	texts: YamlText[],
	lineAt: (offset: number) => number,
	keyStart: number | undefined,
): YamlPlace {
	const [start = 0, end = 0] = part?.range ?? [];
	const line = lineAt(keyStart ?? start);
	const inside = (entries: Iterable<readonly [name: string, part: Part, keyStart?: number | undefined]>) =>
		Object.fromEntries(
			[...entries].map(([name, inner, key]) => [name, placeOf(inner, [...path, name], texts, lineAt, key)]),
		);
	if (isMap(part))
		return [line, inside(part.items.map(({ key, value }) => [String(key.value), value, key.range?.[0]]))];
	if (isList(part)) return [line, inside(part.items.map((item, index) => [String(index), item]))];
	if (part === null || part === undefined || !("value" in part) || typeof part.value !== "string")
		return [line];
	if (part.value.includes("${") || path.at(-1) === "secret_file")
		texts.push({
			path,
			value: part.value,
			start,
			end,
			line: lineAt(start),
			isPlain: (part as Scalar).type === "PLAIN",
			keyStart,
		});
	return [line];
}
