// Writes mail as readable .eml files to a directory, for evaluation and for delivery by other software.

import { access, chmod, constants, mkdir, open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { SendMailOptions } from "nodemailer";
import { MailDeliveryError, type MailTransport, type RenderedMail } from "../../domain/mail-transport.ts";
import { messageOf } from "../../kernel/start-error.ts";
import { composeMessage } from "./message.ts";

/**
 * Writes each mail to `<folder>/<time>-<id>.eml`: the message as sent over SMTP, but with its text in 8bit, so that links
 * are readable in the file. Time and id are those of the mail, so files sort by time, and a mail that is sent twice is one
 * file. Creates a missing directory. Only the owner can read the directory and its files (0700, 0600), because mails
 * contain links that act like passwords. Files are written atomically.
 */
export function createEmlTransport(folder: string): MailTransport {
	let composer: Awaited<ReturnType<typeof createComposer>> | undefined;
	return {
		async send(mail) {
			const message = asReadable(composeMessage(mail));
			composer ??= await createComposer();
			const { message: bytes } = await composer.sendMail(message);
			if (!Buffer.isBuffer(bytes)) throw new MailDeliveryError("mail", true, "the message was not composed");
			const path = join(folder, fileName(mail));
			try {
				await makePrivate(folder);
				await writeWhole(path, bytes);
				return path;
			} catch (error) {
				throw transportError(error);
			}
		},
		async verify() {
			try {
				await makePrivate(folder);
				await access(folder, constants.W_OK);
			} catch (error) {
				throw transportError(error);
			}
		},
		// Composing a message needs no connection.
		close: () => undefined,
	};
}

/**
 * Loads nodemailer with the first mail: importing it takes 0.1 s and 20 MB.
 *
 * @throws MailDeliveryError when that fails.
 */
async function createComposer() {
	try {
		const { createTransport } = await import("nodemailer");
		return createTransport({ streamTransport: true, buffer: true, newline: "windows" });
	} catch (error) {
		throw transportError(error);
	}
}

function transportError(cause: unknown): MailDeliveryError {
	return new MailDeliveryError("transport", false, messageOf(cause), { cause });
}

function fileName(mail: RenderedMail): string {
	const time = new Date(mail.createdAtMs).toISOString().replace(/[-:.]/g, "");
	return `${time}-${mail.id.replace(/[^A-Za-z0-9-]/g, "_")}.eml`;
}

async function makePrivate(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	// An existing directory may have wider permissions.
	await chmod(folder, 0o700);
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
	const temporary = `${path}.tmp`;
	const file = await open(temporary, "w", 0o600);
	try {
		await file.writeFile(bytes);
		await file.sync();
	} catch (error) {
		await unlink(temporary).catch(() => undefined);
		throw error;
	} finally {
		await file.close();
	}
	await rename(temporary, path);
}

/** The maximum octets of a line without its CRLF (RFC 5322, section 2.1.1). */
const LINE_MAX = 998;

/**
 * Returns the message with its text in 8bit (RFC 2045, section 6.2) and long lines folded, and with its HTML in 8bit if no
 * line is too long. Links stay on one line. Not for SMTP, because not every server accepts 8bit.
 */
function asReadable(message: SendMailOptions): SendMailOptions {
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
