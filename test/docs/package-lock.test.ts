import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readDocument } from "./document.ts";

interface Entry {
	readonly version?: string;
	readonly engines?: unknown;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly devDependencies?: Readonly<Record<string, string>>;
}

const packages = (JSON.parse(readDocument("package-lock.json")) as { packages: Record<string, Entry> })
	.packages;
const manifest = JSON.parse(readDocument("package.json")) as Entry;

describe("package-lock.json", () => {
	it("has the package of every platform, which npm ci requires (npm run lock restores them)", () => {
		const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
			Object.keys(optionalDependencies).filter(
				(name) =>
					packages[`node_modules/${name}`] === undefined &&
					packages[`${path}/node_modules/${name}`] === undefined,
			),
		);
		assert.deepEqual(missing, []);
	});

	it("matches package.json", () => {
		const root = packages[""];
		for (const kind of ["dependencies", "devDependencies", "optionalDependencies"] as const)
			assert.deepEqual(root?.[kind], manifest[kind], kind);
	});

	it("pins dependencies with binaries, of which a later version may lack platforms", () => {
		const loose = Object.entries(manifest.dependencies ?? {}).filter(([name, range]) => {
			const { version, optionalDependencies = {} } = packages[`node_modules/${name}`] ?? {};
			const hasBinaries = Object.keys(optionalDependencies).some((each) => each.startsWith(`${name}-linux-`));
			return hasBinaries && range !== version;
		});
		assert.deepEqual(loose, []);
	});

	it("requires only the Node of package.json (npm run lock removes the engines of packages)", () => {
		const asking = Object.keys(packages).filter((path) => packages[path]?.engines !== undefined);
		assert.deepEqual(asking, [""]);
		assert.deepEqual(packages[""]?.engines, { node: ">=20" });
	});

	it("has one version of Node for every platform", () => {
		const versions = new Set(Object.values(manifest.optionalDependencies ?? {}));
		assert.equal(versions.size, 1);
		for (const name of Object.keys(manifest.optionalDependencies ?? {}))
			assert.ok(versions.has(packages[`node_modules/${name}`]?.version ?? ""), name);
	});
});
