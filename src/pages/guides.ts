// The guides for integrators under `/docs/<guide>`, rendered from docs/*.md on first request.

import { readFileSync } from "node:fs";
import { type LazyPage, type StaticPage, staticPage } from "../http/serve/static-page.ts";
import { CHINESE_GUIDES, DIAGRAMS, GUIDES, type GuideName, SIGNING_VECTORS } from "./guide-names.ts";
import type { Guide } from "./guide-page.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Every guide, those in Chinese, the test vectors of signed requests, and `/pages/guides.json`, the entries that the
 * search of `/docs` offers.
 *
 * @throws Error if a file is missing: the package is broken and the service must not start.
 */
export function loadGuides(): Map<string, LazyPage> {
	const english = GUIDES.map((name) => readGuide(name, "en"));
	const chinese = CHINESE_GUIDES.map((name) => readGuide(name, "zh-CN"));
	const diagrams = new Map(
		DIAGRAMS.map((file) => [`/docs/${file}`, readFileSync(new URL(file, DOCS), "utf8")]),
	);
	const pages = new Map<string, LazyPage>();
	for (const guide of [...english, ...chinese])
		pages.set(
			guide.path,
			lazy(async () => {
				const { guidePage } = await import("./guide-page.ts");
				return guidePage(guide, { english, chinese, diagrams });
			}, HTML),
		);
	const vectors = readFileSync(new URL(SIGNING_VECTORS, DOCS));
	pages.set(`/docs/${SIGNING_VECTORS}`, async () => staticPage(vectors, JSON_TYPE));
	const entries = async (): Promise<string> => {
		const { guideEntries } = await import("./guide-entries.ts");
		return JSON.stringify(english.flatMap(({ name, text }) => guideEntries(name, text)));
	};
	return pages.set("/pages/guides.json", lazy(entries, JSON_TYPE));
}

function readGuide(name: GuideName, language: Guide["language"]): Guide {
	const place = language === "en" ? name : `zh-cn/${name}`;
	return { name, language, path: `/docs/${place}`, text: readFileSync(new URL(`${place}.md`, DOCS), "utf8") };
}

/** Renders at the first request, which also loads the Markdown library. */
function lazy(render: () => Promise<string>, contentType: string): LazyPage {
	let page: StaticPage | undefined;
	return async () => {
		page ??= staticPage(Buffer.from(await render()), contentType);
		return page;
	};
}
