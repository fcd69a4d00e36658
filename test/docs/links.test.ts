import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { allDocuments, readDocument } from "./document.ts";

/** Code is no prose: what looks like a link or a heading there is none. */
function prose(path: string): string {
	return readDocument(path)
		.replaceAll(/^```.*?^```/gms, "")
		.replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, " "));
}

/** The anchors GitHub makes of headings. */
function anchorsOf(path: string): Set<string> {
	const seen = new Map<string, number>();
	const anchors = new Set<string>();
	for (const [, heading = ""] of prose(path).matchAll(/^#{1,6} (.+)$/gm)) {
		const slug = heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-");
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		anchors.add(count === 0 ? slug : `${slug}-${count}`);
	}
	return anchors;
}

describe("links", () => {
	const documents = allDocuments();

	for (const path of documents) {
		it(`of ${path} lead somewhere`, () => {
			for (const [link, target = ""] of prose(path).matchAll(/\]\(([^)\s]+)\)/g)) {
				if (/^https?:/.test(target)) continue;
				const [file = "", anchor] = target.split("#", 2);
				const resolved = file === "" ? path : posix.join(posix.dirname(path), file);
				assert.ok(existsSync(new URL(`../../${resolved}`, import.meta.url)), `${path}: ${link}`);
				if (anchor !== undefined) assert.ok(anchorsOf(resolved).has(anchor), `${path}: ${link}`);
			}
		});
	}

	it("lead from README to every document, directly or not", () => {
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
