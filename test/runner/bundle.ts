// Groups test files into processes: starting Node and loading the service costs more than most files run for.

import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Files of one kind share processes. All others mind what their process does, or wait for most of their time. */
const KINDS: readonly (readonly [string, RegExp])[] = [
	["wire", /^test\/(?:wire|docs|source)\//],
	["endpoints", /^test\/endpoints\//],
	["providers", /^test\/providers\/(?!keys-and-documents)/],
	["deliveries", /^test\/[^/]+\.test\.ts$/],
	["src", /^src\//],
];
/** More in one process would leave the other processors idle at the end. */
const FILES_MAX = 30;
/** Of the files that run alone, those that wait more than they compute: for restarts, time limits, a browser. */
const WAITING = /^test\/(?:browser|faults|nodes|parties|postgres|proxies)\//;
const SUITE = pathToFileURL(join(import.meta.dirname, "file-suite.ts")).href;

/**
 * What to start, one process each: files as they are, and files written to `folder` that import several. What
 * takes long comes first, a file that waits beside a process that computes.
 *
 * @param files relative to the working directory, in order; files of one length keep it.
 */
export function bundleFiles(files: readonly string[], folder: string): string[] {
	const byKind = Map.groupBy(files, kindOf);
	const { waiting = [], others = [] } = Object.groupBy(byKind.get(undefined) ?? [], (file) =>
		isWaiting(file) ? "waiting" : "others",
	);
	const bundles = KINDS.flatMap(([kind]) =>
		inEqualParts(byKind.get(kind) ?? []).map((members, index) => {
			const path = join(folder, `${kind}-${index + 1}-bundle.mjs`);
			return writeBundle(path, members);
		}),
	);
	return [...alternate(longestFirst(waiting), bundles), ...longestFirst(others)];
}

/** By length of text, which says much about how long a file runs: a long one that begins last leaves processors idle. */
function longestFirst(files: readonly string[]): string[] {
	const bytesOf = new Map(files.map((file) => [file, statSync(file).size]));
	return files.toSorted((one, other) => (bytesOf.get(other) ?? 0) - (bytesOf.get(one) ?? 0));
}

/** Whether its tests wait for a browser, for servers and processes: a busy machine can exceed their time limits. */
export function isWaiting(file: string): boolean {
	return WAITING.test(slashed(file));
}

function kindOf(file: string): string | undefined {
	return KINDS.find(([, pattern]) => pattern.test(slashed(file)))?.[0];
}

function slashed(file: string): string {
	return file.replaceAll("\\", "/");
}

/** One of each in turn, then what is left of the longer list. */
function alternate(ones: readonly string[], others: readonly string[]): string[] {
	const length = Math.max(ones.length, others.length);
	return Array.from({ length }, (_, index) => [ones[index], others[index]])
		.flat()
		.filter((file) => file !== undefined);
}

/** Neighbours are spread over the parts: files of one folder take similar times. */
function inEqualParts(files: readonly string[]): string[][] {
	const count = Math.ceil(files.length / FILES_MAX);
	return Array.from({ length: count }, (_, part) => files.filter((_file, index) => index % count === part));
}

function writeBundle(path: string, members: readonly string[]): string {
	const suites = members.map(
		(file) => `fileSuite(${JSON.stringify(file)}, ${JSON.stringify(hrefOf(file))});\n`,
	);
	writeFileSync(path, `import { fileSuite } from ${JSON.stringify(SUITE)};\n${suites.join("")}`);
	return path;
}

function hrefOf(file: string): string {
	return pathToFileURL(resolve(file)).href;
}
