// `npm run release`: checks that everything names the version of package.json, builds the package and its list of parts,
// and tags the commit. `-- --dry-run` does all but the tag. Nothing is published: that is for a person to do.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const OUT = "release";
/** Deployed files with the version of the image. */
const DEPLOYED = ["deploy/kubernetes/kustomization.yaml", "deploy/kubernetes/migrate-job.yaml"];
const IMAGE_VERSION = /(?:newTag: "|image: latchkey:)([^"\s]+)/g;

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
const files = [packPackage(), writeParts()];
writeFileSync(join(OUT, "SHA256SUMS"), files.map((file) => `${digestOf(file)}  ${file}\n`).join(""));
if (!isDryRun) run("git", "tag", "--annotate", tag, "--message", `Latchkey ${version}`);
console.log(`${isDryRun ? "checked" : "tagged"} ${tag}; ${OUT}/ holds ${files.join(", ")} and SHA256SUMS`);

function* findProblems(): Iterable<string> {
	if (run("git", "status", "--porcelain") !== "") yield "there are uncommitted changes";
	if (run("git", "tag", "--list", tag) !== "")
		yield `the tag ${tag} exists; raise the version in package.json`;
	const { version: locked } = JSON.parse(readFileSync("package-lock.json", "utf8"));
	if (locked !== version) yield `package-lock.json is of version ${locked}; run npm run lock`;
	const [, heading, newest] =
		/^## (([^ \n]+)(?: - \d{4}-\d{2}-\d{2})?)$/m.exec(readFileSync("CHANGELOG.md", "utf8")) ?? [];
	if (newest !== version || heading === newest)
		yield `CHANGELOG.md begins with "${heading}", not with "${version} - " and a date`;
	for (const file of DEPLOYED)
		for (const [, deployed] of readFileSync(file, "utf8").matchAll(IMAGE_VERSION))
			if (deployed !== version) yield `${file} names version ${deployed}`;
	if (!existsSync(join("test/upgrade/fixtures", version)))
		yield `test/upgrade/fixtures/${version} is missing; run node test/upgrade/write-fixture.ts`;
}

/** @returns the name of the file. */
function packPackage(): string {
	run("npm", "pack", "--pack-destination", OUT);
	return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
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
