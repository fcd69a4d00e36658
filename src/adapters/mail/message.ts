// Composes the MIME message of a rendered mail, the same for every transport.

import type { SendMailOptions } from "nodemailer";
import { isMailAddress, MailDeliveryError, type RenderedMail } from "../../domain/mail-transport.ts";

/**
 * Returns the mail for nodemailer. Sender and recipient are checked and passed as objects: as text, `a@b.c,evil@x.y`
 * would become two recipients.
 *
 * @throws MailDeliveryError permanent, when an address is not exactly one plain address.
 */
export function composeMessage(mail: RenderedMail) {
	if (!isMailAddress(mail.to.address)) {
		throw new MailDeliveryError("mail", true, "the recipient is not one plain address");
	}
	if (!isMailAddress(mail.from.address)) {
		throw new MailDeliveryError("mail", true, "the sender is not one plain address");
	}
	return {
		messageId: mail.messageId,
		date: new Date(mail.createdAtMs),
		from: { ...mail.from },
		to: { ...mail.to },
		envelope: { from: mail.from.address, to: [mail.to.address] },
		subject: mail.subject,
		text: mail.text,
		html: mail.html,
		headers: { ...mail.headers },
		disableFileAccess: true,
		disableUrlAccess: true,
	} satisfies SendMailOptions;
}
