// The guides for integrators under `/docs/<guide>`, rendered from docs/*.md on first request.

import { readFileSync } from "node:fs";
import { type LazyPage, type StaticPage, staticPage } from "../http/static-page.ts";
import { GUIDES, SIGNING_VECTORS, titleOf } from "./guide-names.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Every guide, the test vectors of signed requests, and `/pages/guides.json`, the entries that the search of `/docs`
 * offers.
 *
 * @throws Error if a file is missing: the package is broken and the service must not start.
 */
export function loadGuides(): Map<string, LazyPage> {
	const texts = GUIDES.map((name) => [name, readFileSync(new URL(`${name}.md`, DOCS), "utf8")] as const);
	const titles = texts.map(([name, text]) => [name, titleOf(text)] as const);
	const pages = new Map<string, LazyPage>();
	for (const [name, text] of texts)
		pages.set(
			`/docs/${name}`,
			lazy(async () => {
				const { guidePage } = await import("./guide-page.ts");
				return guidePage(text, titles);
			}, HTML),
		);
	const vectors = readFileSync(new URL(SIGNING_VECTORS, DOCS));
	pages.set(`/docs/${SIGNING_VECTORS}`, async () => staticPage(vectors, JSON_TYPE));
	const entries = async (): Promise<string> => {
		const { guideEntries } = await import("./guide-entries.ts");
		return JSON.stringify(texts.flatMap(([name, text]) => guideEntries(name, text)));
	};
	return pages.set("/pages/guides.json", lazy(entries, JSON_TYPE));
}

/** Renders at the first request, which also loads the Markdown library. */
function lazy(render: () => Promise<string>, contentType: string): LazyPage {
	let page: StaticPage | undefined;
	return async () => {
		page ??= staticPage(Buffer.from(await render()), contentType);
		return page;
	};
}
