// Importing a guide returns the code samples in it, and importing the configuration of a proxy its text, so that they exist
// only there.

import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** Only complete samples contain this text. */
const PROGRAM_MARK = "V1-HMAC-SHA256";

/** The first complete sample of each language. */
export function programsIn(markdown: string): Record<string, string> {
	const programs: Record<string, string> = {};
	for (const [, language = "", code = ""] of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms))
		if (code.includes(PROGRAM_MARK)) programs[language] ??= code.trimEnd();
	return programs;
}

/** The samples whose first line is a file name, by that name. */
export function filesIn(markdown: string): Record<string, string> {
	const files = markdown.matchAll(/^```\w+\n((?:\/\/|#) ([\w./[\]-]+\.\w+)\n.*?)^```$/gms);
	return Object.fromEntries([...files].map(([, code = "", name = ""]) => [name, code.trimEnd()]));
}

const GUIDES = [
	[/\/docs\/signing\.md$/, programsIn],
	[/\/docs\/protect-your-application\.md$/, filesIn],
	[/\/deploy\/gate\/[^/]+$/, (text: string) => text],
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
