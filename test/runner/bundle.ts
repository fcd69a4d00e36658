// Groups test files into processes: starting Node and loading the service costs more than most files run for.

import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

interface Kind {
	readonly name: string;
	readonly files: RegExp;
	/** At most this many files in one process. More would leave the other processors idle at the end. */
	readonly most: number;
}

/** Files of one kind share processes. All others change process state or start other processes. */
const KINDS: readonly Kind[] = [
	{ name: "browser", files: /^test\/(?:browser|journeys)\//, most: 8 },
	{ name: "wire", files: /^test\/(?:wire|docs|source)\//, most: 24 },
	{ name: "openid", files: /^test\/openid\//, most: 12 },
	{
		name: "cli",
		files:
			/^test\/cli\/(?!(?:build-pages|loaded-packages|npm-ci|npm-start|package|processes|release|serve|serve-signals)\.)/,
		most: 12,
	},
	{ name: "endpoints", files: /^test\/endpoints\//, most: 24 },
	{ name: "providers", files: /^test\/providers\/(?!keys-and-documents)/, most: 12 },
	{ name: "deliveries", files: /^test\/[^/]+\.test\.ts$/, most: 12 },
	{ name: "src", files: /^(?:packages|src)\//, most: 40 },
];
/** These files mostly wait for browsers, servers, and processes, so each runs beside a process that computes. */
const WAITING = /^test\/(?:browser|engines|faults|journeys|nodes|parties|postgres|proxies)\//;
/**
 * These build, install, fill tables, or wait for timers: they take longer than their length says, and must not be the last to
 * start.
 */
const LONG =
	/^test\/(?:certificates|scale|cli\/(?:npm-ci|npm-start|package|release)|parties\/(?:nextjs|spa))\b/;
const LONG_FACTOR = 8;
const SUITE = pathToFileURL(join(import.meta.dirname, "file-suite.ts")).href;

/**
 * The processes to start: test files as they are, and files written to `folder` that import several. The longest come
 * first, and those that wait alternate with those that compute.
 *
 * @param files relative to the working directory, with forward slashes.
 */
export function bundleFiles(files: readonly string[], folder: string): string[] {
	const single = files
		.filter((file) => kindOf(file) === undefined)
		.map((file) => ({ path: file, files: [file], bytes: bytesOf(file) }));
	const bundled = KINDS.flatMap((kind) => {
		const members = files.filter((file) => kindOf(file) === kind);
		return balancedParts(members, Math.ceil(members.length / kind.most)).map((part, index) => ({
			path: writeBundle(join(folder, `${kind.name}-${index + 1}-bundle.mjs`), part),
			files: part,
			bytes: part.reduce((sum, file) => sum + bytesOf(file), 0),
		}));
	});
	const processes = [...bundled, ...single].sort((one, other) => other.bytes - one.bytes);
	const { waiting = [], computing = [] } = Object.groupBy(processes, (process) =>
		process.files.some((file) => WAITING.test(file)) ? "waiting" : "computing",
	);
	return alternate(waiting, computing).map(({ path }) => path);
}

function kindOf(file: string): Kind | undefined {
	return KINDS.find(({ files }) => files.test(file));
}

/** The length of a test file predicts how long it runs. */
function bytesOf(file: string): number {
	return statSync(file).size * (LONG.test(file) ? LONG_FACTOR : 1);
}

/** Parts of similar length: assigns each file, the longest first, to the shortest part. */
function balancedParts(files: readonly string[], count: number): string[][] {
	const parts = Array.from({ length: count }, () => ({ files: [] as string[], bytes: 0 }));
	for (const file of files.toSorted((one, other) => bytesOf(other) - bytesOf(one))) {
		const shortest = parts.reduce((one, other) => (other.bytes < one.bytes ? other : one));
		shortest.files.push(file);
		shortest.bytes += bytesOf(file);
	}
	return parts.map((part) => part.files.sort());
}

/** Alternates between both lists, then appends the rest of the longer one. */
function alternate<T>(ones: readonly T[], others: readonly T[]): T[] {
	const length = Math.max(ones.length, others.length);
	return Array.from({ length }, (_, index) => [ones[index], others[index]])
		.flat()
		.filter((one) => one !== undefined);
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
