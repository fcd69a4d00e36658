// Renders a mail of the outbox and neutralizes text that users typed.

import type { Brand } from "../../../domain/brand.ts";
import type { NewMail, OutboxMail } from "../../../domain/mail.ts";
import type { MailMessage } from "../../../domain/mail-message.ts";
import { isMailAddress, type MailAddress, type RenderedMail } from "../../../domain/mail-transport.ts";
import { withoutHidden } from "../../../kernel/shown-text.ts";
import { type Block, htmlPart, textPart } from "./layout.ts";
import { loadMailTexts, type MailTexts } from "./mail-texts.ts";

const SUBJECT_MAX_CODE_POINTS = 150;
const NAME_MAX_CODE_POINTS = 100;

type MailBrand = Pick<
	Brand,
	"productName" | "logoUrl" | "accentColor" | "onAccentColor" | "supportEmail" | "cornerRadius"
>;

export interface RenderOptions {
	/** The sender of every mail; its domain also names the Message-IDs. */
	readonly from: MailAddress;
	/** The public URL of the service. Each mail ends with its host. */
	readonly publicUrl?: string;
	/** The tenant's brand; `from` is its sender. Default: no name, no logo, no support address. */
	readonly brand?: MailBrand;
	/** Default: the built-in texts. */
	readonly texts?: MailTexts;
}

/** The options with the brand and the sender of a tenant. */
export function renderOptions(options: RenderOptions, brand: Brand): RenderOptions {
	return { ...options, brand, from: { name: brand.senderName, address: brand.senderAddress } };
}

/**
 * Renders a mail, with the same result each time for the same `mail` and options: `Message-ID: <id@sender's domain>`,
 * so that a receiver recognizes a repeated delivery. Text that users typed loses control characters, direction marks, and
 * links, is escaped in HTML, and is cut to one line of limited length in headers.
 *
 * @throws Error if the mail can never be sent: the recipient is not one plain address, the kind is unknown, a link is not
 * http(s), or a time is not ISO 8601.
 */
export function renderMail(mail: OutboxMail, options: RenderOptions): RenderedMail {
	if (!isMailAddress(mail.to)) throw new Error("the recipient is not one plain address");
	const texts = (options.texts ?? loadMailTexts()).of(mail.locale);
	const brand = options.brand ?? UNBRANDED;
	const letter = texts.write(withCleanTexts(mail.message));
	const host = options.publicUrl === undefined ? "" : new URL(options.publicUrl).host;
	for (const block of letter.blocks) {
		if (block.kind === "action") assertWebLink(block.url);
		if (block.kind === "links") for (const { url } of block.rows) assertWebLink(url);
	}
	const signed = {
		...letter,
		subject: headerLine(letter.subject, SUBJECT_MAX_CODE_POINTS),
		blocks: [...letter.blocks, ...closing(brand, texts.signature(host))],
	};
	return {
		id: mail.id,
		messageId: `<${mail.id}@${options.from.address.slice(options.from.address.lastIndexOf("@") + 1)}>`,
		createdAtMs: mail.createdAtMs,
		locale: mail.locale,
		from: { name: headerLine(options.from.name, NAME_MAX_CODE_POINTS), address: options.from.address },
		to: { name: headerLine(mail.toName ?? "", NAME_MAX_CODE_POINTS), address: mail.to },
		subject: signed.subject,
		text: textPart(signed),
		html: htmlPart(signed, mail.locale, brand),
		// Keeps vacation responders silent (RFC 3834).
		headers: { "Auto-Submitted": "auto-generated", "Content-Language": mail.locale },
	};
}

/** The subject for lists, where nothing becomes a link: without zero-width spaces, and with codes and links masked. */
export function listedSubject(texts: MailTexts, { locale, message }: NewMail): string {
	const values = Object.entries(message).map(([name, value]) => [name, SECRETS.test(name) ? "•••" : value]);
	const shown = withCleanTexts(Object.fromEntries(values) as MailMessage);
	const { subject } = texts.of(locale).write(shown);
	return headerLine(subject.replaceAll(ZERO_WIDTH_SPACE, ""), SUBJECT_MAX_CODE_POINTS);
}

const SECRETS = /^code$|Url$/;

const UNBRANDED: MailBrand = {
	productName: "",
	logoUrl: "",
	accentColor: "#1f4fd8",
	onAccentColor: "#ffffff",
	supportEmail: "",
	cornerRadius: null,
};

/** The last lines: product and support address, which need no translation, then the signature. */
function closing({ productName, supportEmail }: MailBrand, signature: string): Block[] {
	const brand = [productName, supportEmail].filter((text) => text !== "").join(" · ");
	return [...(brand === "" ? [] : [brand]), signature].map((text) => ({ kind: "small", text }));
}

function withCleanTexts(message: MailMessage): MailMessage {
	const clean = Object.entries(message).map(([name, value]) => [
		name,
		typeof value === "string" ? cleanParameter(name, cleanText(value)) : value,
	]);
	return Object.fromEntries(clean) as MailMessage;
}

function cleanParameter(name: string, text: string): string {
	if (LINKS_KEPT.test(name)) return text;
	// Of a link, the title may be a text that a user typed.
	if (name.endsWith("Links")) return text.replace(/^.*(?= )/gmu, unlinked);
	return unlinked(text);
}

/** Keeps line breaks as LF; removes other hidden characters, replaces lone surrogates. */
function cleanText(text: string): string {
	const lines = text.toWellFormed().replace(/\r\n?|[\u2028\u2029]/gu, "\n");
	return withoutHidden(lines, "lines", () => "").trim();
}

function headerLine(text: string, maxCodePoints: number): string {
	const oneLine = text.toWellFormed().replace(/\s+/gu, " ").trim();
	// `unlinked` inserted zero-width spaces.
	const line = withoutHidden(oneLine, "line", (hidden) => (hidden === ZERO_WIDTH_SPACE ? hidden : ""));
	const points = Array.from(line);
	return points.length <= maxCodePoints
		? line
		: `${points
				.slice(0, maxCodePoints - 1)
				.join("")
				.trimEnd()}…`;
}

function assertWebLink(url: string): void {
	const { protocol } = new URL(url);
	if (protocol !== "https:" && protocol !== "http:") throw new Error("a link in a mail must be http(s)");
}

/**
 * Characters by which mail programs recognize links if text follows: dots, `@`, and the colon of a scheme, including
 * their full-width, small, and ideographic forms, and the gap between two slashes or backslashes.
 */
const LINK_PARTS =
	/[.\u2024\u3002\ufe52\uff0e\uff61@\ufe6b\uff20:\ufe55\uff1a](?=\P{White_Space})|[\\/](?=[\\/])/gu;
const ZERO_WIDTH_SPACE = "\u200b";

/**
 * Inserts zero-width spaces into links, bare domains, email addresses, and file paths. The text looks the same, but a
 * copy of it contains the spaces.
 */
export function unlinked(text: string): string {
	return text.replace(LINK_PARTS, `$&${ZERO_WIDTH_SPACE}`);
}

/**
 * Parameters that keep their links: written by the service or a reviewer, or validated as one plain address. A new
 * parameter loses its links unless its name is listed here.
 */
const LINKS_KEPT = /^(kind|change|code|ip|origin|requestId|email|reviewNote)$|Url$|(^a|A)t$/;
