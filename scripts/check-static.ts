// `npm run check:static`: format, lint, types, the import rule and the word list, side by side; prints the output of those that fail.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import packageJson from "../package.json" with { type: "json" };

/** Scripts of package.json, the longest first. */
const CHECKS = ["types", "lint", "types:pages", "imports", "language", "format"] as const;

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Without npm in between, which takes a fifth of a second; npm has put the packages' programs in PATH. */
async function check(name: (typeof CHECKS)[number]): Promise<boolean> {
	const began = performance.now();
	const child = spawn(packageJson.scripts[name], { shell: true, stdio: ["ignore", "pipe", "pipe"] });
	const exited = new Promise<number | null>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
	const seconds = ((performance.now() - began) / 1_000).toFixed(1);
	if (code !== 0) process.stdout.write(output + errors);
	console.log(`${name}: ${code === 0 ? "passed" : "failed"} (${seconds} s)`);
	return code === 0;
}
