// Importing a guide returns the code samples in it, and importing the configuration of a proxy its text, so that they exist
// only there.

import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** Only complete samples contain this text. */
const PROGRAM_MARK = "V1-HMAC-SHA256";

/** The commands that install a package contain this text. */
const INSTALL_MARK = "/docs/packages/";

interface Sample {
	readonly code: string;
	/** Installs the package that the code uses. */
	readonly install?: string;
}

/**
 * The first complete sample of each language, and, as `<language>-package`, the one after the commands that install a package.
 *
 * @param proof what they sign with; the `diff` after each sample replaces the Secret by a key
 */
export function programsIn(markdown: string, proof: "Secret" | "key" = "Secret"): Record<string, Sample> {
	const programs: Record<string, Sample> = {};
	let install: string | undefined;
	let last = "";
	for (const [, language = "", text = ""] of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
		const code = text.trimEnd();
		const sample = programs[last];
		if (language === "diff" && sample !== undefined) {
			if (proof === "key") programs[last] = { ...sample, code: changed(sample.code, text) };
		} else if (install !== undefined) {
			last = `${language}-package`;
			programs[last] ??= { code, install };
		} else if (code.includes(PROGRAM_MARK)) {
			last = language;
			programs[last] ??= { code };
		}
		install = language === "sh" && code.includes(INSTALL_MARK) ? code : undefined;
	}
	return programs;
}

/** @throws Error for a diff that does not fit. */
function changed(code: string, diff: string): string {
	let text = `${code}\n`;
	for (const [hunk] of diff.matchAll(/^(?:[- ].*\n)+(?:\+.*\n)*/gm)) {
		const lines = (other: string) =>
			hunk.split(/^/m).flatMap((line) => (line.startsWith(other) ? [] : line.slice(1)));
		const [before, after] = [lines("+").join(""), lines("-").join("")];
		if (!text.includes(before)) throw new Error(`not in the program:\n${before}`);
		text = text.replace(before, () => after);
	}
	return text.trimEnd();
}

/** The samples whose first line is a file name, by that name. */
export function filesIn(markdown: string): Record<string, string> {
	const files = markdown.matchAll(/^```\w+\n((?:\/\/|#) ([\w./[\]-]+\.\w+)\n.*?)^```$/gms);
	return Object.fromEntries([...files].map(([, code = "", name = ""]) => [name, code.trimEnd()]));
}

/** What docs/packages.md shows: programs by file name, packages by `<language>-package`, and the variables of a gate. */
export function packagesIn(markdown: string) {
	const [, variables = ""] =
		/^```sh\n((?:export .*\n)*export LK_GATE_KEY=.*\n(?:export .*\n)*)```$/m.exec(markdown) ?? [];
	return { files: filesIn(markdown), packages: programsIn(markdown), variables: variables.trimEnd() };
}

/** By the query of the import: `?key` for clients that sign with a key. */
const GUIDES = [
	[
		/\/docs\/signing\.md$/,
		(text: string, query: string) => programsIn(text, query === "?key" ? "key" : "Secret"),
	],
	[/\/docs\/packages\.md$/, packagesIn],
	[/\/docs\/(?:protect-your-application|no-secret-in-your-pipeline)\.md$/, filesIn],
	[/\/deploy\/gate\/[^/]+$/, (text: string) => text],
] as const;

export const guideCode: Plugin = {
	name: "guide-code",
	setup({ onLoad }) {
		for (const [filter, take] of GUIDES)
			onLoad({ filter }, ({ path, suffix }) => ({
				contents: `export default ${JSON.stringify(take(readFileSync(path, "utf8"), suffix))}`,
				loader: "js",
				watchFiles: [path],
			}));
	},
};
