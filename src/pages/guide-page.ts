// Renders a guide from its Markdown, as a page.

import { posix } from "node:path";
import { Marked, type RendererObject, type Tokens } from "marked";
import { escapeHtml, htmlDocument, MARK } from "../http/run/browser-page.ts";
import { colorCode } from "./color-code.ts";
import { headingId } from "./guide-entries.ts";
import {
	CHINESE_GUIDES,
	FONT_PATH,
	GUIDE_SCRIPT_PATH,
	GUIDES,
	type GuideName,
	SIGNING_VECTORS,
	titleOf,
} from "./guide-names.ts";

export interface Guide {
	readonly name: GuideName;
	readonly language: "en" | "zh-CN";
	readonly path: string;
	/** Markdown. */
	readonly text: string;
}

const WORDS = {
	en: {
		skip: "Skip to the content",
		search: "Search",
		reference: "API reference",
		guides: "Guides",
		here: "On this page",
		previous: "Previous",
		next: "Next",
		theme: "Light or dark",
		other: "中文",
	},
	"zh-CN": {
		skip: "跳到正文",
		search: "搜索",
		reference: "API 参考",
		guides: "指南",
		here: "本页内容",
		previous: "上一篇",
		next: "下一篇",
		theme: "浅色或深色",
		other: "English",
	},
} as const;
/** The language of the link to the same guide in the other language. */
const OTHER = { en: "zh-CN", "zh-CN": "en" } as const;

/** The served documents by the path of their file. */
const FILES: ReadonlyMap<string, string> = new Map([
	...[...GUIDES, ...CHINESE_GUIDES.map((name) => `zh-cn/${name}`)].map(
		(place) => [`/docs/${place}.md`, `/docs/${place}`] as const,
	),
	[`/docs/${SIGNING_VECTORS}`, `/docs/${SIGNING_VECTORS}`],
]);

/** SVG by the path of its file, such as `/docs/images/claim.svg`. */
export type Diagrams = ReadonlyMap<string, string>;

interface Guides {
	readonly english: readonly Guide[];
	readonly chinese: readonly Guide[];
	readonly diagrams: Diagrams;
}

/** Guides without a translation are listed in English. */
export function guidePage(guide: Guide, { english, chinese, diagrams }: Guides): string {
	const { name, language } = guide;
	const isSame = (other: Guide) => other.name === name;
	const words = WORDS[language];
	const listed = english.map(
		(original) =>
			(language === "en" ? undefined : chinese.find((one) => one.name === original.name)) ?? original,
	);
	const linkTo = (one: Guide, mark = ""): string => {
		const lang = one.language === language ? "" : ` lang="${one.language}" hreflang="${one.language}"`;
		return `<a href="${one.path}"${lang}${mark}>${escapeHtml(titleOf(one.text))}</a>`;
	};
	const links = listed.map((one) => `<li>${linkTo(one, isSame(one) ? ' aria-current="page"' : "")}</li>`);
	const place = listed.findIndex(isSame);
	const steps = [
		[words.previous, listed[place - 1]],
		[words.next, listed[place + 1]],
	] as const;
	const neighbors = steps.map(([word, one]) =>
		one === undefined ? "<span></span>" : `<span class="step"><span>${word}</span>${linkTo(one)}</span>`,
	);
	const { html, headings } = render(guide.text, guide.path, diagrams);
	const sections = headings
		.filter(({ depth }) => depth === 2)
		.map(
			({ id, html: title }) =>
				`<li><a href="#${escapeHtml(id)}">${title.replaceAll(/<\/?a\b[^>]*>/g, "")}</a></li>`,
		);
	const here =
		sections.length < 2
			? ""
			: `<nav class="here" aria-label="${words.here}"><p class="index-title">${words.here}</p><ul>${sections.join("")}</ul></nav>`;
	const other = (language === "en" ? chinese : english).find(isSame);
	const otherLanguage = OTHER[language];
	const switchLink =
		other === undefined
			? ""
			: `<a href="${other.path}" lang="${otherLanguage}" hreflang="${otherLanguage}">${words.other}</a>`;
	const content = `<a class="skip" href="#content">${words.skip}</a>
<header class="bar"><a class="brand" href="/">${MARK}<span>Latchkey</span></a><span class="bar-links"><a href="/docs#search">${words.search} <kbd>Ctrl K</kbd></a><a href="/docs">${words.reference}</a>${switchLink}<button type="button" id="theme" aria-label="${words.theme}" hidden>◐</button></span></header>
<div class="columns">
<main id="content" class="prose" tabindex="-1">
${html}
<footer class="steps">${neighbors.join("")}</footer>
</main>
<nav class="index" aria-label="${words.guides}"><p class="index-title">${words.guides}</p><ul>${links.join("")}</ul></nav>
${here}
</div>`;
	return htmlDocument(
		{
			title: titleOf(guide.text),
			language,
			bodyClass: "wide",
			isIndexed: true,
			script: GUIDE_SCRIPT_PATH,
			font: FONT_PATH,
		},
		content,
	);
}

/**
 * Renders Markdown. Embedded HTML is shown as text; only links to served guides, this origin, and HTTPS stay links, and only
 * our own diagrams are images. Links between documents are relative to `path`, the URL of the page.
 */
export function renderMarkdown(
	markdown: string,
	path = "/docs/guide",
	diagrams: Diagrams = new Map(),
): string {
	return render(markdown, path, diagrams).html;
}

interface Heading {
	readonly depth: number;
	readonly id: string;
	readonly html: string;
}

function render(markdown: string, path: string, diagrams: Diagrams) {
	const headings: Heading[] = [];
	const renderer = rendererFor(path, diagrams, headings);
	return { html: new Marked({ async: false, renderer }).parse(markdown, { async: false }), headings };
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

/** @param headings receives each heading */
function rendererFor(path: string, diagrams: Diagrams, headings: Heading[]): RendererObject {
	const seen = new Map<string, number>();
	return {
		html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
		image({ href, text }: Tokens.Image) {
			const svg = diagrams.get(posix.join(posix.dirname(path), href));
			return svg === undefined ? escapeHtml(text) : diagram(svg);
		},
		code({ text, lang = "" }: Tokens.Code) {
			const name = CODE_NAMES[lang] ?? lang;
			return `<figure class="code"><figcaption><span>${escapeHtml(name)}</span></figcaption><pre tabindex="0"><code translate="no">${colorCode(text, lang)}\n</code></pre></figure>\n`;
		},
		codespan: ({ text }: Tokens.Codespan) => `<code translate="no">${escapeHtml(text)}</code>`,
		heading({ tokens, depth, text }: Tokens.Heading) {
			const heading = { depth, id: headingId(text, seen), html: this.parser.parseInline(tokens) };
			headings.push(heading);
			return `<h${depth} id="${escapeHtml(heading.id)}">${heading.html}</h${depth}>\n`;
		},
		link({ href, tokens }: Tokens.Link) {
			const text = this.parser.parseInline(tokens);
			const target = servedHref(href, path);
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

/**
 * Elements take colors and fonts from the page, which an image would not. The style in the file is for other viewers; the
 * content security policy would block it.
 */
function diagram(svg: string): string {
	return `<span class="diagram" tabindex="0">${svg.replace(/<style>.*?<\/style>\n/s, "").trim()}</span>`;
}

/** The URL of a link on this server; undefined for documents that are not served. */
function servedHref(href: string, path: string): string | undefined {
	if (href.startsWith("#") || href.startsWith("https://")) return href;
	if (/^\/(?!\/)/.test(href)) return href;
	const [, document = "", anchor = ""] = /^([a-z./-]+)(#.*)?$/.exec(href) ?? [];
	const target = FILES.get(posix.join(posix.dirname(path), document));
	return target === undefined ? undefined : `${target}${anchor}`;
}
