// Detects whether the built pages are older than their sources. Only a checkout has sources; the package and the image
// contain the output.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { PAGES_OUTPUT, readManifest } from "./page-manifest.ts";

const ROOT = join(import.meta.dirname, "../..");
export const PAGE_BUILDER = join(ROOT, "scripts/build-pages.ts");
/** The pages show the code of guides, and the configurations of proxies. The packages for integrators are built with the pages. */
const INPUTS = [
	"pages",
	"packages",
	"scripts/pages",
	"scripts/build-pages.ts",
	"scripts/packages",
	"scripts/build-packages.ts",
	"docs/signing.md",
	"docs/protect-your-application.md",
	"docs/no-secret-in-your-pipeline.md",
	"deploy/gate",
].map((path) => join(ROOT, path));

export function isCheckout(): boolean {
	return existsSync(PAGE_BUILDER) && existsSync(join(ROOT, "pages/documents.ts"));
}

/** Compares times first, and reads the sources only if one is newer: a clone or a copy has new times. */
export function isOutputStale(): boolean {
	const manifest = readManifest();
	if (manifest === undefined || manifest.isDevelopment) return true;
	const builtAtMs = statSync(join(PAGES_OUTPUT, "manifest.json")).mtimeMs;
	const files = sourceFiles();
	if (files.every((file) => statSync(file).mtimeMs <= builtAtMs)) return false;
	return digestOf(files) !== manifest.sources;
}

/** Changes with every change of name or content of a source. */
export function sourcesDigest(): string {
	return digestOf(sourceFiles());
}

function digestOf(files: readonly string[]): string {
	let sum = 0;
	let bytes = 0;
	for (const file of files) {
		const content = readFileSync(file);
		bytes += content.length;
		sum = crc32(content, crc32(file.slice(ROOT.length), sum));
	}
	return `${files.length}-${bytes}-${sum.toString(16)}`;
}

function sourceFiles(): string[] {
	return INPUTS.flatMap((input) => {
		if (!statSync(input).isDirectory()) return [input];
		return readdirSync(input, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile() && !entry.name.endsWith(".md"))
			.map((entry) => join(entry.parentPath, entry.name));
	}).sort();
}
