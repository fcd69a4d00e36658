// `/mails`: lists the mails of a tenant without their content, and sends them again.

import type { Administrator } from "../../../domain/caller.ts";
import { MAIL_STATES } from "../../../domain/mail.ts";
import { empty, endpoint, page } from "../../../http/endpoint.ts";
import { exactEmail, oneOf } from "../../../http/query-parameters.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { mailSchema, toWireMail } from "./mail-wire.ts";
import { resendMail } from "./resend-mail.ts";

export function mailEndpoints(platform: Platform) {
	const { mail } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listMails",
			summary: "List mails",
			description: "What was sent, waits or failed, never the content. Finished mails are kept for 30 days.",
			query: { state: oneOf(MAIL_STATES), to: exactEmail() },
			response: page(mailSchema, "Mails of the tenant, newest first."),
			async handle({ caller: { tenantId }, query: { state, to }, page }) {
				const filter = { ...(state && { state }), ...(to && { to }) };
				return mapPage(await mail.list(tenantId, filter, page), toWireMail);
			},
		}),

		resend: endpoint<Administrator>()({
			name: "resendMail",
			summary: "Send a mail again",
			description:
				"A failed mail is due immediately and tried for three more days, a waiting one is tried now. It keeps its content and its `Message-ID`.",
			ids: { id: "mail.not_found" },
			response: empty(202, "The mail is due."),
			errors: ["mail.already_sent", "mail.expired"],
			handle: ({ caller, ids: { id } }) => resendMail(platform, id, caller),
		}),
	};
}
