// `/mails`: lists the mails of a tenant without their content, and sends them again.

import type { Administrator } from "../../../domain/caller.ts";
import { MAIL_STATES } from "../../../domain/mail.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { exactEmail, oneOf, timeText } from "../../../http/describe/query-parameters.ts";
import { choice, integer, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { resendMail } from "./resend-mail.ts";

const mailSchema = object(
	{
		id: plain({ format: "uuid", description: "Part of the `Message-ID`." }),
		at: time("When the mail was created."),
		to: plain("The email address of the recipient."),
		subject: plain("The subject, with codes and links masked."),
		state: choice(MAIL_STATES, {
			description: "A `failed` mail is not retried unless you send it again.",
		}),
		attempts: integer("Including the current attempt."),
		next_at: nullable(
			time("Null unless the mail is waiting. May be in the past while the mail server is unavailable."),
		),
		last_error: plain('Why the last attempt failed; `""` if it did not fail.'),
	},
	{ title: "Mail" },
);

/** The CLI uses it too. */
export const toWireMail = toWire(mailSchema);

export function mailEndpoints(platform: Platform) {
	const { mail } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listMails",
			summary: "List mails",
			description:
				"Lists mails that were sent, are waiting, or failed, but never their content. `created_after` (inclusive) and `created_before` (exclusive) limit when they were created. Finished mails are kept for 30 days.",
			query: {
				state: oneOf(MAIL_STATES),
				to: exactEmail(),
				created_after: timeText(),
				created_before: timeText(),
			},
			response: page(mailSchema, "Mails of the tenant, newest first."),
			async handle({ caller: { tenantId }, query, page }) {
				const { created_after: fromMs, created_before: toMs, ...exact } = query;
				return mapPage(await mail.list(tenantId, { ...exact, fromMs, toMs }, page), toWireMail);
			},
		}),

		resend: endpoint<Administrator>()({
			name: "resendMail",
			summary: "Send a mail again",
			description:
				"A failed mail is due immediately and is retried for three more days; a waiting mail is tried now. The mail keeps its content and its `Message-ID`.",
			ids: { id: "mail.not_found" },
			response: empty(202, "The mail is due."),
			errors: ["mail.already_sent", "mail.expired"],
			handle: ({ caller, ids: { id } }) => resendMail(platform, id, caller),
		}),
	};
}
