// `npm run lock`: updates package-lock.json and restores the packages for other platforms that npm omits. An argument
// names another lock file.
//
// npm locks only packages that the configured registry has. When a package for another platform is missing there,
// `npm ci` refuses the lock file everywhere. The script derives the entry from the package's name and its parent, and
// asks the registry for each missing checksum. `npm run checksums` refuses entries without one.
//
// It also removes `engines` from every package. All packages run on the Node.js version in the lock file, but npm
// compares `engines` with its own Node.js and would warn for each on Node.js 20. The requirement of Latchkey stays.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

interface Entry {
	readonly version?: string | undefined;
	readonly integrity?: string;
	readonly link?: boolean;
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
	// The root entry keeps npm's order: npm would otherwise rewrite the file at the next `npm prune`.
	packages.map(([path, entry]) => [path, path === "" ? entry : withChecksum(path, entry)]),
);
writeFileSync(FILE, `${JSON.stringify(lock, null, "\t")}\n`);
console.log(`${Object.keys(added).length} packages for other platforms restored`);

/** The entry without `engines`, and with the checksum that the registry states if it has none. */
function withChecksum(path: string, { engines, version, ...entry }: Entry): Entry {
	if (entry.integrity !== undefined || entry.link) return { version, ...entry };
	const integrity = findChecksum(
		`${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`,
	);
	return integrity === undefined ? { version, ...entry } : { version, integrity, ...entry };
}

function findChecksum(name: string): string | undefined {
	const args = ["view", name, "dist.integrity"];
	try {
		// npm is a script on Windows.
		const shell = process.platform === "win32";
		return execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], shell }).trim();
	} catch {
		console.warn(`the registry has no checksum of ${name}`);
		return undefined;
	}
}
