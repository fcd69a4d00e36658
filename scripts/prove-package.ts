// Installs a packed program into an empty folder and starts it once: a release must not contain a program that does not
// start.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownSettings, startProgram } from "../test/harness/processes/program.ts";
import { temporaryFolder } from "../test/harness/runs/folder.ts";

interface Package {
	readonly name: string;
	readonly version: string;
}

/** @throws Error with the program's output if it does not start, reports another version, or does not stop with 0. */
export async function provePackage(tarball: string, about: Package): Promise<void> {
	using folder = temporaryFolder();
	const home = join(folder.path, "installed");
	installPackage(tarball, home);
	await proveInstalled(home, about);
}

/** Creates the folder `home`, or installs over what is in it. Takes packages from npm's cache if it has them. */
export function installPackage(tarball: string, home: string): void {
	mkdirSync(home, { recursive: true });
	writeFileSync(join(home, "package.json"), '{ "private": true }\n');
	execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", resolve(tarball)], {
		cwd: home,
		stdio: ["ignore", "ignore", "inherit"],
		// npm is a script on Windows.
		shell: process.platform === "win32",
	});
}

/** See `provePackage`. */
export async function proveInstalled(home: string, { name, version }: Package): Promise<void> {
	const entry = join(home, "node_modules", name, "bin/latchkey.js");
	const program = await startProgram({ env: await ownSettings(join(home, "data")), cwd: home, entry });
	try {
		const { data } = (await (await fetch(`${program.httpUrl}/health`)).json()) as {
			data: { status: string; version: string };
		};
		if (data.status !== "ok" || data.version !== version)
			throw new Error(`the packed program reports ${data.status} and version ${data.version}`);
		program.kill("SIGTERM");
		const { code, stderr } = await program.exited;
		if (code !== 0) throw new Error(`the packed program stopped with ${code}:\n${stderr}`);
	} finally {
		await program.end();
	}
}
