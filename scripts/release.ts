// `npm run release`: checks that everything names the version of package.json, builds the package, the Helm chart
// and the list of parts, and tags the commit. `-- --dry-run` does all but the tag. Nothing is published: that is for a person to do.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { SCHEMA_VERSION } from "../src/adapters/migrations/migrate.ts";

const OUT = "release";
const CHART = "deploy/helm/latchkey";
/** Deployed files with the version of image or chart. */
const DEPLOYED = [
	"deploy/kubernetes/kustomization.yaml",
	"deploy/kubernetes/migrate-job.yaml",
	`${CHART}/Chart.yaml`,
];
const DEPLOYED_VERSION = /(?:newTag: "|image: latchkey:|^version: |^appVersion: ")([^"\s]+)/gm;

const isDryRun = process.argv.includes("--dry-run");
const { version, name } = JSON.parse(readFileSync("package.json", "utf8"));
const tag = `v${version}`;

const problems = [...findProblems()];
if (problems.length > 0) {
	for (const problem of problems) console.error(`release: ${problem}`);
	process.exit(1);
}
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
const files = [packPackage(), packChart(), writeParts()];
writeFileSync(join(OUT, "SHA256SUMS"), files.map((file) => `${digestOf(file)}  ${file}\n`).join(""));
if (!isDryRun) run("git", "tag", "--annotate", tag, "--message", `Latchkey ${version}`);
console.log(`${isDryRun ? "checked" : "tagged"} ${tag}; ${OUT}/ holds ${files.join(", ")} and SHA256SUMS`);

function* findProblems(): Iterable<string> {
	if (run("git", "status", "--porcelain") !== "") yield "there are uncommitted changes";
	if (run("git", "tag", "--list", tag) !== "")
		yield `the tag ${tag} exists; raise the version in package.json`;
	const { version: locked } = JSON.parse(readFileSync("package-lock.json", "utf8"));
	if (locked !== version) yield `package-lock.json is of version ${locked}; run npm run lock`;
	const [, unreleased = "", newest = ""] = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
	if (!/^Unreleased\n+$/.test(unreleased))
		yield "CHANGELOG.md does not begin with an empty Unreleased; move its lines under the version";
	const heading = newest.slice(0, newest.indexOf("\n"));
	if (!heading.startsWith(`${version} - `) || !/ - \d{4}-\d{2}-\d{2}$/.test(heading))
		yield `the newest version in CHANGELOG.md is "${heading}", not "${version} - " and a date`;
	for (const file of DEPLOYED)
		for (const [, deployed] of readFileSync(file, "utf8").matchAll(DEPLOYED_VERSION))
			if (deployed !== version) yield `${file} names version ${deployed}`;
	const fixture = join("test/upgrade/fixtures", version, "postgres.gz");
	const schema = existsSync(fixture) ? schemaOf(fixture) : 0;
	if (schema !== SCHEMA_VERSION)
		yield `test/upgrade/fixtures/${version} is missing or older than the last migration; run node test/upgrade/write-fixture.ts`;
}

/** The number of migrations that a dump of PostgreSQL holds. */
function schemaOf(dump: string): number {
	const statements = gunzipSync(readFileSync(dump)).toString("utf8");
	return [...statements.matchAll(/^INSERT INTO public\.schema_migrations /gm)].length;
}

/** @returns the name of the file. */
function packPackage(): string {
	run("npm", "pack", "--pack-destination", OUT);
	return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/** @returns the name of the file. */
function packChart(): string {
	run("helm", "package", CHART, "--destination", OUT);
	return `latchkey-${version}.tgz`;
}

/** Writes the software bill of materials. @returns the name of the file. */
function writeParts(): string {
	const file = `latchkey-${version}.cdx.json`;
	writeFileSync(
		join(OUT, file),
		run("npm", "sbom", "--omit=dev", "--sbom-format=cyclonedx", "--package-lock-only"),
	);
	return file;
}

function digestOf(file: string): string {
	return createHash("sha256")
		.update(readFileSync(join(OUT, file)))
		.digest("hex");
}

function run(program: string, ...args: string[]): string {
	return execFileSync(program, args, {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
		maxBuffer: 64 * 1024 * 1024,
		// On Windows npm is a script.
		shell: process.platform === "win32",
	});
}
