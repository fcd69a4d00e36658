// Lays out the blocks of a mail as plain text and as HTML without external resources.

import type { Locale } from "../../../domain/locale.ts";

/** One piece of a mail's body. Every string is plain text; `url` must come from the service itself. */
export type Block =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "action"; readonly label: string; readonly url: string }
	| { readonly kind: "code"; readonly code: string }
	| { readonly kind: "facts"; readonly rows: readonly (readonly [label: string, value: string])[] }
	| { readonly kind: "quote"; readonly label: string; readonly text: string }
	| { readonly kind: "links"; readonly label: string; readonly rows: readonly Link[] }
	| { readonly kind: "small"; readonly text: string };

export interface Link {
	readonly title: string;
	readonly url: string;
}

/** The content of a mail, before it is laid out. */
export interface Letter {
	/** One line; cut to a safe length when rendered. */
	readonly subject: string;
	/** The first line of both parts. */
	readonly heading: string;
	readonly blocks: readonly Block[];
}

const FONT =
	"font-family:-apple-system,'Segoe UI',Roboto,Helvetica,'PingFang SC','Microsoft YaHei',Arial,sans-serif";
const MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";
const HTML_ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Escapes a text for HTML character data and quoted attribute values. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? "");
}

/** Returns the text part. Lines end in LF; the transport converts them to CRLF. */
export function textPart(letter: Letter): string {
	return `${[letter.heading, ...letter.blocks.map(textBlock)].join("\n\n")}\n`;
}

function textBlock(block: Block): string {
	switch (block.kind) {
		case "text":
		case "small":
			return block.text;
		case "action":
			return `${block.label}:\n${block.url}`;
		case "code":
			return `    ${block.code}`;
		case "facts":
			return block.rows.map(([label, value]) => `${label}: ${value}`).join("\n");
		case "quote":
			return `${block.label}:\n${block.text.replace(/^/gm, "> ")}`;
		case "links":
			return `${block.label}:\n${block.rows.map(({ title, url }) => `- ${title}\n  ${url}`).join("\n")}`;
	}
}

/** The visual brand of a mail. Every string is plain text. */
interface Look {
	readonly accentColor: string;
	readonly onAccentColor: string;
	/** `""` without a logo. */
	readonly logoUrl: string;
	readonly productName: string;
	/** In pixels; null: the default. */
	readonly cornerRadius: number | null;
}

const CORNER_RADIUS = 6;

/** Returns the HTML part: one column, readable without styles, no images but the logo. */
export function htmlPart(letter: Letter, locale: Locale, look: Look): string {
	return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(letter.subject)}</title>
</head>
<body style="margin:0;padding:24px 12px">
<div style="max-width:560px;margin:0 auto;${FONT};font-size:16px;line-height:1.6">
${htmlLogo(look)}<h1 style="font-size:20px;line-height:1.3;margin:0 0 20px">${escapeHtml(letter.heading)}</h1>
${letter.blocks.map((block) => htmlBlock(block, look)).join("\n")}
</div>
</body>
</html>
`;
}

function htmlLogo({ logoUrl, productName }: Look): string {
	if (logoUrl === "") return "";
	return `<p style="margin:0 0 20px"><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(productName)}" height="40" style="height:40px;border:0"></p>\n`;
}

function htmlBlock(block: Block, look: Look): string {
	switch (block.kind) {
		case "text":
			return `<p style="margin:0 0 16px">${htmlLines(block.text)}</p>`;
		case "small":
			return `<p style="margin:0 0 16px;font-size:14px;opacity:.8">${htmlLines(block.text)}</p>`;
		case "action":
			return htmlAction(block.label, escapeHtml(block.url), look);
		case "code":
			return `<p style="margin:0 0 16px;${MONO};font-size:30px;letter-spacing:6px"><strong>${escapeHtml(block.code)}</strong></p>`;
		case "facts":
			return `<table style="margin:0 0 16px;border-collapse:collapse">\n${block.rows.map(htmlFact).join("\n")}\n</table>`;
		case "quote":
			return `<p style="margin:0 0 4px">${escapeHtml(block.label)}</p>
<blockquote style="margin:0 0 16px;padding:4px 0 4px 14px;border-left:3px solid #8a94a6">${htmlLines(block.text)}</blockquote>`;
		case "links":
			return `<p style="margin:0 0 4px">${escapeHtml(block.label)}</p>
<ul style="margin:0 0 16px;padding-inline-start:20px">\n${block.rows.map(htmlLink).join("\n")}\n</ul>`;
	}
}

/** A button, and below it the address as text to copy. */
function htmlAction(label: string, href: string, look: Look): string {
	const { accentColor, onAccentColor, cornerRadius } = look;
	const radius = cornerRadius ?? CORNER_RADIUS;
	return `<p style="margin:0 0 12px"><a href="${href}" style="display:inline-block;padding:11px 20px;border-radius:${radius}px;background:${accentColor};color:${onAccentColor};text-decoration:none;font-weight:600">${escapeHtml(label)}</a></p>
<p style="margin:0 0 16px;font-size:14px;word-break:break-all"><a href="${href}">${href}</a></p>`;
}

function htmlFact([label, value]: readonly [string, string]): string {
	return `<tr><th scope="row" style="padding:2px 16px 2px 0;vertical-align:top;text-align:left;font-weight:400;opacity:.8">${escapeHtml(label)}</th><td style="padding:2px 0;vertical-align:top">${htmlLines(value)}</td></tr>`;
}

function htmlLink({ title, url }: Link): string {
	return `<li><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></li>`;
}

function htmlLines(text: string): string {
	return escapeHtml(text).replace(/\n/g, "<br>\n");
}
