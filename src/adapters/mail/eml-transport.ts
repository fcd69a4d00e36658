// Writes mail as .eml files to a directory, for evaluation and for delivery by other software.

import { access, chmod, constants, mkdir, open, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { MailDeliveryError, type MailTransport, type RenderedMail } from "../../domain/mail-transport.ts";
import { messageOf } from "../../kernel/start-error.ts";
import { composeMessage } from "./message.ts";
import { asReadable } from "./readable-parts.ts";

/**
 * Writes each mail to `<folder>/<time>-<id>.eml`: the message as sent over SMTP, but with its text in 8bit, so that
 * links can be read in the file. Time and id are those of the mail: files sort by time, and a mail sent twice is one
 * file. Creates the folder when it is missing. Folder and files are readable by their owner only (0700, 0600), because
 * mails hold links that act like passwords. Files are written atomically.
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
		// Composing uses no connection.
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
