// Determines the modules in a document's own script and the words that its first view needs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** A module that this many lazy parts share moves into the document's own script: a compromise between many files and unused code. */
const SHARED_BY_PARTS = 4;
const USED_AREA = /\b(use|find)Words\((?:"([a-z-]+)"\))?/g;
/** Defines the functions themselves. */
const WORDS_MODULE = "pages/words/words.ts";

/** Modules are paths relative to the root of the checkout. */
export interface DocumentModules {
	/** Modules in the script of the document, without the entry. */
	readonly own: readonly string[];
	/** Modules that `import()` loads on demand: screens, steps. */
	readonly parts: ReadonlySet<string>;
	/** All stylesheets of the document and its lazy screens, in import order. */
	readonly styles: readonly string[];
	/** Areas of words that the first view needs. */
	readonly firstAreas: readonly string[];
	/** Areas that only lazy parts or rare texts need. */
	readonly laterAreas: readonly string[];
}

/** `inputs` are those of a build of `entry` alone; sources are read from `root`. */
export function modulesOf({ inputs }: Metafile, entry: string, root: string): DocumentModules {
	const first = reachedFrom(entry, inputs);
	const all = reachedFrom(entry, inputs, { withParts: true });
	const parts = new Set(all.flatMap((file) => importsOf(file, inputs, true)));
	const shared = Map.groupBy(
		[...parts].flatMap((part) => reachedFrom(part, inputs)),
		(file) => file,
	);
	const own = all.filter(
		(file) => first.includes(file) || (shared.get(file)?.length ?? 0) >= SHARED_BY_PARTS,
	);
	const firstAreas = areasUsedIn(first, root, ["use"]);
	return {
		own: own.filter((file) => file !== entry && !file.endsWith(".css")),
		parts: new Set([...parts].filter((part) => !own.includes(part))),
		styles: all.filter((file) => file.endsWith(".css")),
		firstAreas,
		laterAreas: areasUsedIn(all, root, ["use", "find"]).filter((area) => !firstAreas.includes(area)),
	};
}

/** In execution order. */
function reachedFrom(
	entry: string,
	inputs: Metafile["inputs"],
	{ withParts = false }: { readonly withParts?: boolean } = {},
): string[] {
	const seen = new Set<string>();
	const reached: string[] = [];
	const visit = (file: string): void => {
		if (seen.has(file)) return;
		seen.add(file);
		for (const target of importsOf(file, inputs, withParts ? undefined : false)) visit(target);
		reached.push(file);
	};
	visit(entry);
	return reached;
}

/** `isLazy`: true for `import()`, false for static imports, undefined for both. */
function importsOf(file: string, inputs: Metafile["inputs"], isLazy: boolean | undefined): string[] {
	return (inputs[file]?.imports ?? [])
		.filter(({ kind, external }) => external !== true && isLazy !== (kind !== "dynamic-import"))
		.map(({ path }) => path);
}

/**
 * Areas in calls of `useWords` and `findWords`.
 *
 * @throws Error if an area is not a literal, because it would be missing in the browser.
 */
function areasUsedIn(files: readonly string[], root: string, by: readonly string[]): string[] {
	const areas = new Set<string>();
	for (const file of files) {
		if (!file.startsWith("pages/") || !/\.tsx?$/.test(file) || file === WORDS_MODULE) continue;
		for (const [, name = "", area] of readFileSync(join(root, file), "utf8").matchAll(USED_AREA)) {
			if (area === undefined)
				throw new Error(`${file}: ${name}Words() requires the name of an area as a literal`);
			if (by.includes(name)) areas.add(area);
		}
	}
	return [...areas];
}
