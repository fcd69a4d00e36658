// `npm run lock`: brings package-lock.json up to date, and puts back the packages for other platforms that npm leaves out.
//
// npm writes down only what the registry at hand can show it. One that lacks a package for some other platform leaves
// a lock file which `npm ci` then refuses everywhere. What such a package is can be told from its name and its parent.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
	readonly version?: string;
	readonly license?: string | undefined;
	readonly engines?: unknown;
	readonly os?: readonly string[];
	readonly cpu?: readonly (string | undefined)[];
	readonly libc?: readonly string[];
	readonly optional?: boolean;
	readonly dev?: boolean;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const FILE = join(import.meta.dirname, "../package-lock.json");
const PLATFORM =
	/-(android|darwin|freebsd|linux|win32)-(arm64|arm|x64|ia32)(?:-(gnueabihf|gnu|musl|msvc|eabi))?$/;

/** The entry of a package for one platform, as npm would have written it but for its checksum. */
function entryFor(name: string, version: string, parent: Entry): Entry {
	const [, os, cpu, abi] = PLATFORM.exec(name) ?? [];
	if (os === undefined) throw new Error(`${name} is missing from the lock file, and names no platform`);
	const libc = os === "linux" && abi !== undefined ? { libc: [abi === "musl" ? "musl" : "glibc"] } : {};
	const { license, engines, dev } = parent;
	return { version, cpu: [cpu], ...(dev && { dev }), ...libc, license, optional: true, os: [os], engines };
}

const lock = JSON.parse(readFileSync(FILE, "utf8")) as { packages: Record<string, Entry> };
const added: Record<string, Entry> = {};
for (const [path, entry] of Object.entries(lock.packages)) {
	for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
		const at = `node_modules/${name}`;
		if (lock.packages[at] === undefined && lock.packages[`${path}/${at}`] === undefined)
			added[at] = entryFor(name, version, entry);
	}
}
const packages = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(packages);
writeFileSync(FILE, `${JSON.stringify(lock, null, "\t")}\n`);
console.log(`${Object.keys(added).length} packages for other platforms put back`);
