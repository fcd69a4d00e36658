// Lists and resends mails of the outbox. Objects have the shape of the API.

import { MAIL_STATES, type MailFilter } from "../../domain/mail.ts";
import { toWireMail } from "../../features/record/mail/mail-endpoints.ts";
import { resendMail } from "../../features/record/mail/resend-mail.ts";
import { isoTime } from "../../kernel/clock.ts";
import { parseId } from "../../kernel/id.ts";
import { mapPage } from "../../kernel/page.ts";
import { findNamed, type Operation, takeFirst } from "./operation.ts";

export { MAIL_STATES };

export function listMails({ db, caller: { tenantId } }: Operation, filter: MailFilter, limit: number) {
	return takeFirst(
		async (page) => mapPage(await db.stores.mail.list(tenantId, filter, page), toWireMail),
		limit,
	);
}

/**
 * @param name the id, or the email address if exactly one mail to it is unsent.
 * @throws StartError for an unknown or ambiguous name; AppError as `resendMail`.
 */
export async function resend(operation: Operation, name: string): Promise<{ readonly id: string }> {
	const { db, caller } = operation;
	const { mail } = db.stores;
	const id = parseId(name) ?? (await findUnsent(name)).id;
	await resendMail(operation, id, caller);
	return { id };

	function findUnsent(address: string) {
		return findNamed(
			{ kind: "unsent mail", name },
			(page) => mail.list(caller.tenantId, { to: address.toLowerCase() }, page),
			({ state }) => state !== "sent",
			({ id, subject, atMs }) => `${id} ${JSON.stringify(subject)} of ${isoTime(atMs)}`,
		);
	}
}
