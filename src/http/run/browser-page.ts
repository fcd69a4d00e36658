// HTML pages that are generated for one response, such as a confirmation or an error. They load no scripts and nothing
// from other hosts.

/** The path of the stylesheet of these pages. */
export const STYLESHEET_PATH = "/pages/page.css";

/** No scripts, frames, form targets or referrers. */
export const BROWSER_PAGE_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"cross-origin-resource-policy": "same-origin",
};

/** The logo of the product, as HTML. */
export const MARK =
	'<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><circle cx="11" cy="16" r="4.6"/><path d="M15.6 16H26v4.5M21.4 16v3.4"/></svg>';

/** The content of a page, as plain text. */
export interface BrowserPage {
	readonly title: string;
	readonly paragraphs: readonly string[];
	/** The next step: a link shown as a button. */
	readonly action?: { readonly label: string; readonly href: string };
	/** Small print below the content. */
	readonly note?: string;
}

export function browserPage({ title, paragraphs, action, note }: BrowserPage): string {
	const main = [
		`<h1>${escapeHtml(title)}</h1>`,
		...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
		...(action === undefined
			? []
			: [
					`<p class="actions"><a class="primary" href="${escapeHtml(action.href)}">${escapeHtml(action.label)}</a></p>`,
				]),
		...(note === undefined ? [] : [`<p class="quiet">${escapeHtml(note)}</p>`]),
	];
	const content = `<header class="brand">${MARK}<span>Latchkey</span></header>
<main><section class="card">
${main.join("\n")}
</section></main>`;
	return htmlDocument({ title, bodyClass: "narrow", isIndexed: false }, content);
}

interface DocumentOptions {
	/** Plain text. */
	readonly title: string;
	readonly bodyClass: "narrow" | "wide";
	/** Default: English. */
	readonly language?: "en" | "zh-CN";
	/** Whether search engines may index the page. */
	readonly isIndexed: boolean;
	/** Paths of a script and of a font on this origin. The content security policy must allow them. */
	readonly script?: string;
	readonly font?: string;
}

/** A complete document. `content` is HTML. */
export function htmlDocument(
	{ title, bodyClass, language = "en", isIndexed, script, font }: DocumentOptions,
	content: string,
): string {
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)} · Latchkey</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isIndexed ? "" : '<meta name="robots" content="noindex">\n'}<link rel="icon" href="data:,">
${font === undefined ? "" : `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>\n`}<link rel="stylesheet" href="${STYLESHEET_PATH}">
${script === undefined ? "" : `<script src="${script}" defer></script>\n`}</head>
<body class="${bodyClass}">
${content}
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
