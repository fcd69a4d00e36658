// A page made for one answer: a question or an error for whoever sits in front of a browser; no script, nothing from elsewhere.

/** For every such page: nothing runs, nothing is framed or sent, nothing is kept or told to the next site. */
export const BROWSER_PAGE_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"cross-origin-resource-policy": "same-origin",
};

const MARK =
	'<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><circle cx="11" cy="16" r="4.6"/><path d="M15.6 16H26v4.5M21.4 16v3.4"/></svg>';

/** What a page says, all of it plain text. */
export interface BrowserPage {
	readonly title: string;
	readonly paragraphs: readonly string[];
	/** A link that goes on, as a button. */
	readonly action?: { readonly label: string; readonly href: string };
	/** Small print below. */
	readonly note?: string;
}

export function browserPage({ title, paragraphs, action, note }: BrowserPage): string {
	const heading = escapeHtml(title);
	const main = [
		`<h1>${heading}</h1>`,
		...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
		...(action === undefined
			? []
			: [
					`<p class="actions"><a class="primary" href="${escapeHtml(action.href)}">${escapeHtml(action.label)}</a></p>`,
				]),
		...(note === undefined ? [] : [`<p class="quiet">${escapeHtml(note)}</p>`]),
	];
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${heading} · Latchkey</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages/page.css">
</head>
<body class="narrow">
<header class="brand">${MARK}<span>Latchkey</span></header>
<main><section class="card">
${main.join("\n")}
</section></main>
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

/** For text between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] as string);
}
