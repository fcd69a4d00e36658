// Resends a failed mail, or sends a waiting one immediately.

import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { mailNotFound } from "../../../domain/mail.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { mailExpiryMs } from "./mail-schedule.ts";

/**
 * Makes the mail due immediately, with the same id. A failed mail is retried for three more days.
 *
 * @throws AppError `mail.not_found`, `mail.already_sent`, and `mail.expired` if its link or code has expired or its
 * content was erased.
 */
export async function resendMail(
	{ db, clock, wakeMail }: Needs<"mail" | "audit", "clock" | "wakeMail">,
	id: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	const now = clock();
	await db.transaction(async ({ mail, audit }) => {
		const { state, attempts } = found(await mail.findById(tenantId, id), mailNotFound);
		if (state === "sent") throw alreadySent();
		const content = await mail.findContent(tenantId, id);
		const expiryMs = content && mailExpiryMs(content);
		if (content === undefined || (expiryMs !== undefined && expiryMs <= now))
			throw new AppError("mail.expired", "the link or code in this mail has expired: request a new mail");
		if (!(await mail.resend(tenantId, id, now))) throw alreadySent();
		await audit.append(caller, "mail.resent", named("mail", id, content.message.kind), {
			state,
			attempts,
			kind: content.message.kind,
		});
	});
	wakeMail();
}

function alreadySent(): AppError {
	return new AppError("mail.already_sent", "the mail was sent already");
}
