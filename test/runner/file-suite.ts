// A test file as a suite of a process that runs several.

import { after, describe } from "node:test";

let unfinished = 0;
process.once("exit", () => {
	// A file that ends the process hides the files that follow it.
	if (unfinished > 0) process.exitCode = 1;
});

/** Hooks at the top of the file belong to its suite, not to the whole process. */
export function fileSuite(file: string, href: string): void {
	unfinished++;
	describe(file, async () => {
		after(() => {
			unfinished--;
		});
		await import(href);
	});
}
