// `npm run lock`: updates package-lock.json and restores the packages for other platforms that npm omits. An argument
// names another lock file.
//
// npm locks only packages that the configured registry has. When a package for another platform is missing there,
// `npm ci` refuses the lock file everywhere. The script derives the entry from the package's name and its parent.
//
// It also removes `engines` from every package. All packages run on the Node.js version in the lock file, but npm
// compares `engines` with its own Node.js and would warn for each on Node.js 20. The requirement of Latchkey stays.

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

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

const FILE = resolve(process.argv[2] ?? "package-lock.json");
const PLATFORM =
	/-(android|darwin|freebsd|linux|win32)-(arm64|arm|x64|ia32)(?:-(gnueabihf|gnu|musl|msvc|eabi))?$/;

/** The entry of a package for one platform as npm writes it, without its checksum. */
function entryFor(name: string, version: string, parent: Entry): Entry {
	const [, os, cpu, abi] = PLATFORM.exec(name) ?? [];
	if (os === undefined)
		throw new Error(`${name} is missing from the lock file and has no platform in its name`);
	const libc = os === "linux" && abi !== undefined ? { libc: [abi === "musl" ? "musl" : "glibc"] } : {};
	const { license, dev } = parent;
	return { version, cpu: [cpu], ...(dev && { dev }), ...libc, license, optional: true, os: [os] };
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
lock.packages = Object.fromEntries(
	packages.map(([path, { engines, ...entry }]) => [path, path === "" ? { ...entry, engines } : entry]),
);
writeFileSync(FILE, `${JSON.stringify(lock, null, "\t")}\n`);
console.log(`${Object.keys(added).length} packages for other platforms restored`);
