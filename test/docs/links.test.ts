import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { allDocuments, readDocument } from "./document.ts";

const ROOT = new URL("../../", import.meta.url);
const SOURCES = ["src", "pages", "test", "scripts", "bench", "deploy"].map(
	(folder) => `${folder}/**/*.{ts,tsx,js,css,yaml,yml,conf,service,timer}`,
);

/** A document without code, where brackets and `#` are neither links nor headings. */
function prose(path: string): string {
	return readDocument(path)
		.replaceAll(/^```.*?^```/gms, "")
		.replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, " "));
}

const known = new Map<string, ReadonlySet<string>>();

/** The anchors that GitHub derives from the headings of a document, and its explicit ones (`<a id="…">`). */
function anchorsOf(path: string): ReadonlySet<string> {
	const anchors = known.get(path) ?? readAnchors(prose(path));
	known.set(path, anchors);
	return anchors;
}

function readAnchors(text: string): Set<string> {
	const seen = new Map<string, number>();
	const anchors = new Set<string>();
	for (const [, id = ""] of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
	for (const [, heading = ""] of text.matchAll(/^#{1,6} (.+)$/gm)) {
		const slug = heading
			.replaceAll(/<[^>]+>/g, "")
			.trim()
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-");
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		anchors.add(count === 0 ? slug : `${slug}-${count}`);
	}
	return anchors;
}

/** `target` is relative to the root of the repository, except that it may begin with `#`. */
function assertResolves(target: string, from: string): void {
	const [file = "", anchor] = target.split("#", 2);
	const path = file === "" ? from : file;
	assert.ok(existsSync(new URL(path, ROOT)), `${from}: ${target}`);
	if (anchor !== undefined) assert.ok(anchorsOf(path).has(anchor), `${from}: ${target}`);
}

describe("links", () => {
	const documents = allDocuments();
	const readmes = globSync("{pages,test,src,scripts,bench}/**/*.md", {
		cwd: fileURLToPath(ROOT),
		exclude: ["**/node_modules/**"],
	});

	for (const path of [...documents, ...readmes]) {
		it(`resolve in ${path}`, () => {
			for (const [, target = ""] of prose(path).matchAll(/\]\(([^)\s]+)\)/g)) {
				if (/^(https?|mailto):/.test(target)) continue;
				assertResolves(target.startsWith("#") ? target : posix.join(posix.dirname(path), target), path);
			}
		});
	}

	it("resolve in sources that name a document", () => {
		const files = globSync(SOURCES, { cwd: fileURLToPath(ROOT), exclude: ["**/node_modules/**"] });
		for (const path of files)
			for (const [target] of readFileSync(new URL(path, ROOT), "utf8").matchAll(
				/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g,
			))
				assertResolves(target, path);
	});

	it("lead from README.md to every document, directly or indirectly", () => {
		const reached = new Set<string>();
		const visit = (path: string): void => {
			if (reached.has(path) || !documents.includes(path)) return;
			reached.add(path);
			for (const [, file = ""] of prose(path).matchAll(/\]\(([^)#\s]+)/g))
				visit(posix.normalize(posix.join(posix.dirname(path), file)));
		};
		visit("README.md");
		assert.deepEqual(
			documents.filter((path) => !reached.has(path)),
			[],
		);
	});
});
