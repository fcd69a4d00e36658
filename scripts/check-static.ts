// `npm run check:static`: runs all checks except the tests in parallel and prints the output of those that fail.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import packageJson from "../package.json" with { type: "json" };

/** Scripts of package.json, the slowest first. */
const CHECKS = [
	"types",
	"lint",
	"types:pages",
	"imports",
	"language",
	"lines",
	"checksums",
	"format",
] as const;

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Runs the command without npm, which takes 0.2 s; npm has already added node_modules/.bin to PATH. */
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
