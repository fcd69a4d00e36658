// `npm run release`: checks that all files contain the version of package.json, builds the package, the Helm chart,
// the manifests for Kubernetes, the SBOM, and the provenance, starts the packed program once, and tags the commit. It publishes nothing. `-- --dry-run`
// skips the tag and only reports what is still to do before it, so that a commit between releases can be tried.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { productionSbom } from "./production-sbom.ts";
import { provePackage } from "./prove-package.ts";
import { provenanceOf, signStatement } from "./provenance.ts";
import { writeManifests } from "./write-manifests.ts";

const OUT = "release";
const CHART = "deploy/helm/latchkey";
/** Files that contain the version of the image or chart. */
const DEPLOYED = ["deploy/kustomize/kustomization.yaml", `${CHART}/Chart.yaml`];
const DEPLOYED_VERSION = /(?:newTag: "|image: latchkey:|^version: |^appVersion: ")([^"\s]+)/gm;

/** A private key in PEM signs the provenance; without it, the provenance is unsigned. */
const KEY_FILE = process.env.RELEASE_SIGNING_KEY_FILE;

const startedOn = new Date();
const isDryRun = process.argv.includes("--dry-run");
const { version, name } = JSON.parse(readFileSync("package.json", "utf8"));
const tag = `v${version}`;

const toDo = [...findToDo()];
const problems = isDryRun ? [...findProblems()] : [...toDo, ...findProblems()];
if (problems.length > 0) {
	for (const problem of problems) console.error(`release: ${problem}`);
	process.exit(1);
}
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
const packed = packPackage();
const files = [packed, packChart(), packManifests(), writeSbom()];
await provePackage(join(OUT, packed), { name, version });
files.push(...writeProvenance(files));
writeFileSync(join(OUT, "SHA256SUMS"), files.map((file) => `${digestOf(file)}  ${file}\n`).join(""));
if (!isDryRun) run("git", "tag", "--annotate", tag, "--message", `Latchkey ${version}`);
for (const step of isDryRun ? toDo : []) console.log(`before the release: ${step}`);
if (KEY_FILE === undefined) console.log("the provenance is unsigned: RELEASE_SIGNING_KEY_FILE names no key");
console.log(`${isDryRun ? "checked" : "tagged"} ${tag}; ${OUT}/ contains ${files.join(", ")} and SHA256SUMS`);

/** What only the tagged commit must fulfill. */
function* findToDo(): Iterable<string> {
	if (run("git", "status", "--porcelain") !== "") yield "there are uncommitted changes";
	if (run("git", "tag", "--list", tag) !== "")
		yield `the tag ${tag} exists; raise the version in package.json`;
	const [, unreleased = "", newest = ""] = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
	if (!/^Unreleased\n+$/.test(unreleased))
		yield "CHANGELOG.md does not start with an empty Unreleased section; move its entries to the version";
	const heading = newest.slice(0, newest.indexOf("\n"));
	if (!heading.startsWith(`${version} - `) || !/ - \d{4}-\d{2}-\d{2}$/.test(heading))
		yield `the latest version in CHANGELOG.md is "${heading}" instead of "${version} - " and a date`;
}

/** Files that contradict each other. */
function* findProblems(): Iterable<string> {
	const { version: locked } = JSON.parse(readFileSync("package-lock.json", "utf8"));
	if (locked !== version) yield `package-lock.json has version ${locked}; run npm run lock`;
	for (const file of DEPLOYED)
		for (const [, deployed] of readFileSync(file, "utf8").matchAll(DEPLOYED_VERSION))
			if (deployed !== version) yield `${file} contains version ${deployed}`;
}

/** @returns the file name. */
function packPackage(): string {
	run("npm", "pack", "--pack-destination", OUT);
	return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/** @returns the file name. */
function packChart(): string {
	run("helm", "package", CHART, "--destination", OUT);
	return `latchkey-${version}.tgz`;
}

/** Kubernetes without Helm. @returns the file name. */
function packManifests(): string {
	const file = `latchkey-${version}-kubernetes.tar.gz`;
	writeManifests(join(OUT, "kubernetes"));
	run("tar", "--create", "--gzip", "--file", join(OUT, file), "--directory", OUT, "kubernetes");
	rmSync(join(OUT, "kubernetes"), { recursive: true });
	return file;
}

/** Writes the software bill of materials. @returns the file name. */
function writeSbom(): string {
	const file = `latchkey-${version}.cdx.json`;
	const all = run("npm", "sbom", "--sbom-format=cyclonedx", "--package-lock-only");
	writeFileSync(join(OUT, file), productionSbom(all, readFileSync("package-lock.json", "utf8")));
	return file;
}

/** Writes how the files were built, and with a key its signature. @returns the file names. */
function writeProvenance(built: readonly string[]): string[] {
	const statement = provenanceOf({
		files: new Map(built.map((file) => [file, digestOf(file)])),
		version,
		commit: run("git", "rev-parse", "HEAD").trim(),
		hasChanges: run("git", "status", "--porcelain") !== "",
		lockDigest: sha256("package-lock.json"),
		npmVersion: run("npm", "--version").trim(),
		startedOn,
		finishedOn: new Date(),
	});
	const file = `latchkey-${version}.provenance.json`;
	writeFileSync(join(OUT, file), statement);
	if (KEY_FILE === undefined) return [file];
	const envelope = `latchkey-${version}.intoto.jsonl`;
	writeFileSync(join(OUT, envelope), signStatement(statement, KEY_FILE));
	return [file, envelope];
}

function digestOf(file: string): string {
	return sha256(join(OUT, file));
}

function sha256(path: string): string {
	return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function run(program: string, ...args: string[]): string {
	return execFileSync(program, args, {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
		maxBuffer: 64 * 1024 * 1024,
		// npm is a script on Windows.
		shell: process.platform === "win32",
	});
}
