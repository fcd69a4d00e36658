// The test files that a change reaches: through imports, or because they test files that nothing imports.

import { execFileSync } from "node:child_process";

/** Test files that run a file without importing it, by the changed path: pages in a browser, documents, deployed files. */
const REACHED_BY_PATH: readonly (readonly [changed: RegExp, tests: RegExp])[] = [
	[/^pages\//, /^test\/(?:browser|journeys|source)\/|^test\/wire\/(?:page-files|start-page|guides)/],
	[/^docs\/|\.md$/, /^test\/docs\/|^test\/protect-programs|^test\/wire\/guides/],
	[/^deploy\//, /^test\/(?:deploy|proxies)\//],
	[/^scripts\//, /^test\/(?:cli|docs)\//],
	[/^(?:bin\/|src\/(?:main\.ts|cli\/|ops\/))/, /^test\/(?:cli|faults|nodes|tour)\//],
	[/^(?:package(?:-lock)?\.json|tsconfig.*\.json|test\/run\.ts|test\/runner\/)/, /^/],
];

interface Module {
	readonly source: string;
	readonly dependents: readonly string[];
}

/**
 * Paths that differ from `revision` in the working tree, untracked files included.
 *
 * @throws Error if git does not know the revision
 */
export function changedFiles(revision: string): string[] {
	const lines = (args: readonly string[]): string[] =>
		execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);
	return [
		...lines(["diff", "--name-only", revision, "--"]),
		...lines(["ls-files", "--others", "--exclude-standard"]),
	];
}

/** The import graph of `npm run imports`, one entry per module. */
export function readImports(): Module[] {
	const folders = ["src", "pages", "packages", "test", "bench", "scripts"];
	// With this Node, because the one in PATH can be older.
	const command = ["node_modules/.bin/depcruise", ...folders, "--output-type", "json"];
	const output = execFileSync(process.execPath, command, {
		encoding: "utf8",
		maxBuffer: 256 * 2 ** 20,
	});
	return (JSON.parse(output) as { readonly modules: Module[] }).modules;
}

/** Whether a test file can notice one of the changes. */
export function reachedBy(
	changed: readonly string[],
	modules: readonly Module[],
): (testFile: string) => boolean {
	const dependentsOf = new Map(modules.map(({ source, dependents }) => [source, dependents]));
	const reached = new Set(changed);
	// A set that grows while it is read: each module is visited once, cycles included.
	for (const file of reached) for (const dependent of dependentsOf.get(file) ?? []) reached.add(dependent);
	const patterns = REACHED_BY_PATH.filter(([path]) => changed.some((file) => path.test(file)));
	return (file) => reached.has(file) || patterns.some(([, tests]) => tests.test(file));
}
