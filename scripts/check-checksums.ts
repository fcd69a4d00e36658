// `npm run checksums`: refuses packages in lock files that have no checksum, because npm would install any content for
// them. Arguments name other lock files.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Entry {
	readonly version?: string;
	readonly integrity?: string;
	readonly link?: boolean;
}

const named = process.argv.slice(2);
const files = named.length > 0 ? named : filesOf("*package-lock.json");
for (const name of new Set(files.flatMap((file) => [...withoutChecksum(file)]))) {
	console.log(`${name} has no checksum (integrity); run npm run lock`);
	process.exitCode = 1;
}

function* withoutChecksum(file: string): Iterable<string> {
	const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };
	for (const [path, { version, integrity, link }] of Object.entries(packages))
		if (path !== "" && !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))
			yield `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;
}

function filesOf(pattern: string): string[] {
	return execFileSync("git", ["ls-files", pattern], { encoding: "utf8" }).trim().split("\n");
}
