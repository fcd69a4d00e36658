// Groups test files into processes: starting Node and loading the service costs more than most files run for.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Of these, the files of one group share a process. All others mind what their process does. */
const GROUPS = [/^src\/[^/]+\//, /^test\/(?:endpoints\/[^/]+|wire|docs)\//];
const SUITE = pathToFileURL(join(import.meta.dirname, "file-suite.ts")).href;

/**
 * What to start, one process each: files as they are, and files written to `folder` that import a group. Files that
 * run alone come first, since some of them take long.
 *
 * @param files relative to the working directory, in order.
 */
export function bundleFiles(files: readonly string[], folder: string): string[] {
	const alone: string[] = [];
	const groups = new Map<string, string[]>();
	for (const file of files) {
		const group = groupOf(file);
		if (group === undefined) alone.push(file);
		else groups.set(group, [...(groups.get(group) ?? []), file]);
	}
	const bundles = [...groups].map(([group, members]) => writeBundle(group, members, folder));
	return [...alone, ...bundles];
}

function groupOf(file: string): string | undefined {
	const path = file.replaceAll("\\", "/");
	for (const pattern of GROUPS) {
		const [group] = pattern.exec(path) ?? [];
		if (group !== undefined) return group;
	}
	return undefined;
}

function writeBundle(group: string, members: readonly string[], folder: string): string {
	const path = join(folder, `${group.replaceAll("/", "-")}bundle.mjs`);
	const suites = members.map(
		(file) => `fileSuite(${JSON.stringify(file)}, ${JSON.stringify(hrefOf(file))});\n`,
	);
	writeFileSync(path, `import { fileSuite } from ${JSON.stringify(SUITE)};\n${suites.join("")}`);
	return path;
}

function hrefOf(file: string): string {
	return pathToFileURL(resolve(file)).href;
}
