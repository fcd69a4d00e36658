// From a mail in the outbox to one that can leave: worded, laid out, and harmless whatever people typed.

import { htmlPart, textPart } from "./layout.ts";
import { writeLetter } from "./messages.ts";
import {
	isMailAddress,
	type MailAddress,
	type MailMessage,
	type OutboxMail,
	type RenderedMail,
} from "./model.ts";

const SUBJECT_MAX_CODE_POINTS = 150;
const NAME_MAX_CODE_POINTS = 100;

export interface RenderOptions {
	/** The sender of every mail; its domain also names the Message-IDs. */
	readonly from: MailAddress;
	/** The service's public URL, named at the end of each mail. */
	readonly publicUrl?: string;
}

/**
 * The mail as it leaves, the same each time for the same `mail` and options: `Message-ID: <id@sender's domain>`,
 * so a receiver can tell a repeated delivery. Texts from people lose control and text-direction characters, are
 * escaped in HTML, and are cut to one bounded line in headers.
 *
 * @throws Error when the mail can never be sent: a recipient that is not one plain address, an unknown kind, a link
 * that is not http(s), a time that is none.
 */
export function renderMail(mail: OutboxMail, options: RenderOptions): RenderedMail {
	if (!isMailAddress(mail.to)) throw new Error("the recipient is not one plain address");
	const letter = writeLetter(withCleanTexts(mail.message), mail.locale);
	for (const block of letter.blocks) if (block.kind === "action") assertWebLink(block.url);
	const signed = {
		...letter,
		subject: headerLine(letter.subject, SUBJECT_MAX_CODE_POINTS),
		blocks: [...letter.blocks, { kind: "small" as const, text: signature(mail.locale, options.publicUrl) }],
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
		html: htmlPart(signed, mail.locale),
		// RFC 3834: vacation programs stay silent.
		headers: { "Auto-Submitted": "auto-generated", "Content-Language": mail.locale },
	};
}

function signature(locale: RenderedMail["locale"], publicUrl: string | undefined): string {
	const host = publicUrl === undefined ? "" : new URL(publicUrl).host;
	if (locale === "zh-CN") {
		return host === "" ? "本邮件由系统自动发送，请勿回复。" : `本邮件由 ${host} 自动发送，请勿回复。`;
	}
	return host === ""
		? "Sent automatically; please do not reply."
		: `Sent automatically by ${host}; please do not reply.`;
}

// Marks that turn the direction of text can make `evil` read as something else.
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function withCleanTexts(message: MailMessage): MailMessage {
	const clean = Object.entries(message).map(([name, value]) => [
		name,
		typeof value === "string" ? cleanText(value) : value,
	]);
	return Object.fromEntries(clean) as MailMessage;
}

/** Keeps line breaks as LF; drops every other control character, direction marks and halves of surrogate pairs. */
function cleanText(text: string): string {
	return text
		.toWellFormed()
		.replace(/\r\n?|[\u2028\u2029]/gu, "\n")
		.replace(/(?!\n)\p{Cc}/gu, "")
		.replace(DIRECTION_MARKS, "")
		.trim();
}

function headerLine(text: string, maxCodePoints: number): string {
	const line = cleanText(text).replace(/\s+/gu, " ");
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
