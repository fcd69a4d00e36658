// What a document consists of: which modules its own script holds, and which words its first view needs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** A module that so many lazily loaded parts share is in the document's own script: few files, little to load in vain. */
const SHARED_BY_PARTS = 3;
const WORDS = /^pages\/words\/[a-z-]+\/[a-z-]+\.ts$/;
const USED_AREA = /\b(use|find)Words\((?:"([a-z-]+)"\))?/g;
/** It has the functions themselves. */
const WORDS_MODULE = "pages/words/words.ts";

/** Modules are paths from the root of the checkout. */
export interface DocumentModules {
	/** In the script of the document; the entry is not among them. */
	readonly own: readonly string[];
	/** What `import()` loads when it is due: screens, steps, words. */
	readonly parts: ReadonlySet<string>;
	/** Every stylesheet that the document can come to use, in the order of the imports: lazy screens need none of their own. */
	readonly styles: readonly string[];
	/** Areas of words without which the first view cannot be drawn. */
	readonly firstAreas: readonly string[];
	/** Areas that parts use, or texts that are seldom needed. */
	readonly laterAreas: readonly string[];
}

/** `inputs` are those of a build of `entry` alone; the sources are read from `root`. */
export function modulesOf({ inputs }: Metafile, entry: string, root: string): DocumentModules {
	const first = reachedFrom(entry, inputs);
	const all = reachedFrom(entry, inputs, { withParts: true });
	const parts = new Set(all.flatMap((file) => importsOf(file, inputs, true)));
	const shared = Map.groupBy(
		[...parts].filter((part) => !WORDS.test(part)).flatMap((part) => reachedFrom(part, inputs)),
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

/** In the order in which they run. */
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

/** `isLazy`: by `import()` only; undefined: all. */
function importsOf(file: string, inputs: Metafile["inputs"], isLazy: boolean | undefined): string[] {
	return (inputs[file]?.imports ?? [])
		.filter(({ kind, external }) => external !== true && isLazy !== (kind !== "dynamic-import"))
		.map(({ path }) => path);
}

/**
 * Areas by the calls of `useWords` and `findWords`.
 *
 * @throws Error where an area is not written out: it would be missing in the browser.
 */
function areasUsedIn(files: readonly string[], root: string, by: readonly string[]): string[] {
	const areas = new Set<string>();
	for (const file of files) {
		if (!file.startsWith("pages/") || !/\.tsx?$/.test(file) || file === WORDS_MODULE) continue;
		for (const [, name = "", area] of readFileSync(join(root, file), "utf8").matchAll(USED_AREA)) {
			if (area === undefined)
				throw new Error(`${file}: ${name}Words() takes the name of an area as a literal`);
			if (by.includes(name)) areas.add(area);
		}
	}
	return [...areas];
}
