// The parts of a mail in a file, in an encoding that keeps links on one line.

import type { SendMailOptions } from "nodemailer";

/** RFC 5322, 2.1.1: octets of a line without its CRLF. */
const LINE_MAX = 998;

/**
 * Returns the message with its text in 8bit (RFC 2045, 6.2) and long lines folded, and its HTML in 8bit too if no line
 * is too long. Not for SMTP: not every server accepts 8bit.
 */
export function asReadable(message: SendMailOptions): SendMailOptions {
	const text = String(message.text).split("\n").map(fold).join("\n");
	const html = String(message.html);
	return {
		...message,
		text: { raw: part("text/plain", text) },
		html: html.split("\n").every(fits) ? { raw: part("text/html", html) } : html,
	};
}

function part(type: "text/plain" | "text/html", text: string): string {
	const lines = [`Content-Type: ${type}; charset=utf-8`, "Content-Transfer-Encoding: 8bit", "", text];
	return lines.join("\n").replaceAll("\n", "\r\n");
}

function fits(line: string): boolean {
	return Buffer.byteLength(line) <= LINE_MAX;
}

/** Breaks a long line at spaces, and within words that are too long. */
function fold(line: string): string {
	if (fits(line)) return line;
	const lines: string[] = [];
	let current = "";
	for (const piece of line.split(/(?<= )/u).flatMap((word) => (fits(word) ? [word] : Array.from(word)))) {
		if (!fits(current + piece)) {
			lines.push(current);
			current = "";
		}
		current += piece;
	}
	return [...lines, current].join("\n");
}
