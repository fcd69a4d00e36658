// `npm run lines`: keeps the code of `src`, `pages` and `test` within a budget. Raising one is a choice that its
// commit explains.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The most lines of code per part, without blank lines and comments. */
const BUDGETS = { src: 44_181, pages: 29_242, test: 72_217 };

const lines = { src: 0, pages: 0, test: 0 };
for (const file of execFileSync("git", ["ls-files", "src", "pages", "test"], { encoding: "utf8" }).split(
	"\n",
))
	if (/\.(ts|tsx|js|css)$/.test(file)) lines[partOf(file)] += countCode(readFileSync(file, "utf8"));

for (const part of ["src", "pages", "test"] as const) {
	const over = lines[part] - BUDGETS[part];
	console.log(`${part}: ${lines[part]} lines of code, budget ${BUDGETS[part]}`);
	if (over <= 0) continue;
	console.log(
		`  ${over} over. Remove code, or raise the budget in scripts/check-lines.ts and say why in the commit.`,
	);
	process.exitCode = 1;
}

/** Unit tests count as tests, wherever they are. */
function partOf(file: string): keyof typeof BUDGETS {
	if (/\.test\.tsx?$/.test(file)) return "test";
	return file.startsWith("src/") ? "src" : file.startsWith("pages/") ? "pages" : "test";
}

function countCode(text: string): number {
	const withoutBlocks = text.replaceAll(/^[ \t]*\{?\/\*[\s\S]*?\*\/\}?[ \t]*$/gm, "");
	return withoutBlocks.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}
