// Renders a guide from its Markdown, as a page.

import { Marked, type RendererObject, type Tokens } from "marked";
import { escapeHtml, htmlDocument, MARK } from "../http/browser-page.ts";
import { headingId } from "./guide-entries.ts";
import { GUIDE_SCRIPT_PATH, GUIDES, SIGNING_VECTORS, titleOf } from "./guide-names.ts";

export function guidePage(
	markdown: string,
	titles: readonly (readonly [name: string, title: string])[],
): string {
	const shown = titleOf(markdown);
	const links = titles.map(([name, title]) => {
		const mark = title === shown ? ' aria-current="page"' : "";
		return `<li><a href="/docs/${name}"${mark}>${escapeHtml(title)}</a></li>`;
	});
	const content = `<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="brand" href="/">${MARK}<span>Latchkey</span></a><a href="/docs">API reference and search</a></header>
<div class="columns">
<main id="content" class="prose" tabindex="-1">
${renderMarkdown(markdown)}
</main>
<nav class="index" aria-label="Guides"><p class="index-title">Guides</p><ul>${links.join("")}</ul></nav>
</div>`;
	return htmlDocument(
		{ title: shown, bodyClass: "wide", isIndexed: true, script: GUIDE_SCRIPT_PATH },
		content,
	);
}

/** Renders Markdown. Embedded HTML is shown as text; only links to served guides, this origin and HTTPS stay links. */
export function renderMarkdown(markdown: string): string {
	const seen = new Map<string, number>();
	return new Marked({ async: false, renderer: rendererWith(seen) }).parse(markdown, { async: false });
}

/** Display names of the languages of code blocks. */
const CODE_NAMES: Readonly<Record<string, string>> = {
	"": "Text",
	console: "Shell",
	csharp: "C#",
	go: "Go",
	http: "HTTP",
	java: "Java",
	js: "JavaScript",
	json: "JSON",
	php: "PHP",
	python: "Python",
	ruby: "Ruby",
	sh: "Shell",
};

function rendererWith(seen: Map<string, number>): RendererObject {
	return {
		html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
		image: ({ text }: Tokens.Image) => escapeHtml(text),
		code({ text, lang = "" }: Tokens.Code) {
			const name = CODE_NAMES[lang] ?? lang;
			return `<figure class="code"><figcaption><span>${escapeHtml(name)}</span></figcaption><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></figure>\n`;
		},
		heading({ tokens, depth, text }: Tokens.Heading) {
			return `<h${depth} id="${escapeHtml(headingId(text, seen))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
		},
		link({ href, tokens }: Tokens.Link) {
			const text = this.parser.parseInline(tokens);
			const target = guideHref(href);
			return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
		},
		table(token: Tokens.Table) {
			const cell = (tag: "th" | "td", { tokens }: Tokens.TableCell): string =>
				`<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
			const head = token.header.map((one) => cell("th", one)).join("");
			const rows = token.rows.map((row) => {
				const code = /^`([a-z_.]+)`$/.exec(row[0]?.text ?? "")?.[1];
				return `<tr${code === undefined ? "" : ` id="${code}"`}>${row.map((one) => cell("td", one)).join("")}</tr>`;
			});
			return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>\n`;
		},
	};
}

/** The URL of a link on this server; undefined for documents that are not served. */
function guideHref(href: string): string | undefined {
	if (href.startsWith("#") || href.startsWith("https://")) return href;
	if (/^\/(?!\/)/.test(href)) return href;
	if (href === SIGNING_VECTORS) return `/docs/${href}`;
	const [, name = "", anchor = ""] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
	return GUIDES.some((guide) => guide === name) ? `/docs/${name}${anchor}` : undefined;
}
