// A test file as a suite of a process that runs several.

import { after, describe } from "node:test";

const unfinished = new Set<string>();
process.once("exit", () => {
	if (unfinished.size === 0) return;
	// A file that ends the process hides the files that follow it. The runner also skips a file without a matching suite.
	console.error(`ended early, or without a suite that this pass runs: ${[...unfinished].join(", ")}`);
	process.exitCode = 1;
});

/** Hooks at the top of the file belong to its suite, not to the whole process. */
export function fileSuite(file: string, href: string): void {
	unfinished.add(file);
	describe(file, async () => {
		after(() => {
			unfinished.delete(file);
		});
		await import(href);
	});
}
