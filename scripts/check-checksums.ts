// `npm run checksums`: refuses packages in lock files that have no checksum, because npm would install any content for
// them. Arguments name other lock files.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Entry {
	readonly version?: string;
	readonly integrity?: string;
	readonly link?: boolean;
}

/**
 * Packages of platforms that no test machine has. The registry in reach did not have them either, so their checksums
 * are unknown. `npm run lock` with a complete registry adds them: remove the names then. Never add one.
 */
const UNKNOWN = new Set([
	...platforms("@biomejs/cli", "2.6.8", "android-arm64 android-x64 darwin-arm64 darwin-x64"),
	...platforms("@biomejs/cli", "2.6.8", "linux-arm64-musl linux-x64-musl win32-arm64 win32-x64"),
	...platforms("@node-rs/bcrypt", "2.0.0", "android-arm-eabi android-arm64 darwin-arm64 darwin-x64"),
	...platforms("@node-rs/bcrypt", "2.0.0", "freebsd-x64 linux-arm-gnueabihf linux-arm64-gnu"),
	...platforms("@node-rs/bcrypt", "2.0.0", "linux-arm64-musl linux-x64-musl win32-arm64-msvc"),
	...platforms("@node-rs/bcrypt", "2.0.0", "win32-ia32-msvc win32-x64-msvc"),
	...platforms("@next/swc", "16.4.6", "darwin-arm64 darwin-x64 win32-arm64-msvc win32-x64-msvc"),
]);

const named = process.argv.slice(2);
const files = named.length > 0 ? named : filesOf("*package-lock.json");
const found = new Set(files.flatMap((file) => [...withoutChecksum(file)]));
for (const name of found) {
	if (UNKNOWN.has(name)) continue;
	console.log(`${name} has no checksum (integrity); run npm run lock`);
	process.exitCode = 1;
}
if (named.length === 0)
	for (const name of UNKNOWN) {
		if (found.has(name)) continue;
		console.log(`${name} has a checksum, or is not locked: remove it from scripts/check-checksums.ts`);
		process.exitCode = 1;
	}

function* withoutChecksum(file: string): Iterable<string> {
	const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };
	for (const [path, { version, integrity, link }] of Object.entries(packages))
		if (path !== "" && !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))
			yield `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;
}

function platforms(name: string, version: string, suffixes: string): string[] {
	return suffixes.split(" ").map((suffix) => `${name}-${suffix}@${version}`);
}

function filesOf(pattern: string): string[] {
	return execFileSync("git", ["ls-files", pattern], { encoding: "utf8" }).trim().split("\n");
}
