// Imports of a guide give the programs in it, so that the guide is their only place.

import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** What only a whole program holds. */
const PROGRAM_MARK = "V1-HMAC-SHA256";

/** The first program of each language. */
export function programsIn(markdown: string): Record<string, string> {
	const programs: Record<string, string> = {};
	for (const [, language = "", code = ""] of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms))
		if (code.includes(PROGRAM_MARK)) programs[language] ??= code.trimEnd();
	return programs;
}

/** The programs whose first line names their file, by that name. */
export function filesIn(markdown: string): Record<string, string> {
	const files = markdown.matchAll(/^```\w+\n((?:\/\/|#) ([\w./[\]-]+\.\w+)\n.*?)^```$/gms);
	return Object.fromEntries([...files].map(([, code = "", name = ""]) => [name, code.trimEnd()]));
}

const GUIDES = [
	[/\/docs\/signing\.md$/, programsIn],
	[/\/docs\/protect-your-application\.md$/, filesIn],
] as const;

export const guideCode: Plugin = {
	name: "guide-code",
	setup({ onLoad }) {
		for (const [filter, take] of GUIDES)
			onLoad({ filter }, ({ path }) => ({
				contents: `export default ${JSON.stringify(take(readFileSync(path, "utf8")))}`,
				loader: "js",
				watchFiles: [path],
			}));
	},
};
