// Decides program requests: an approval creates the program or pins its changed document, and the people who asked are mailed.

import { audienceNames } from "../../../domain/assertion.ts";
import { programRequestTarget } from "../../../domain/program-request.ts";
import { AppError } from "../../../kernel/error.ts";
import type { RequestRules } from "../requests/request-rules.ts";
import { documentDigest } from "./document-digest.ts";
import { createProgram, repinProgram } from "./pin-program.ts";
import { askerMails } from "./program-mails.ts";

export const programRules: RequestRules<"program"> = {
	actions: {
		approved: "program.approved",
		rejected: "program.rejected",
		resent: "program.approval_resent",
	},
	target: programRequestTarget,
	details: ({ resultId }, { allowedResources, assertionAudiences = [] }) => ({
		app_id: resultId,
		allowed_resources: allowedResources,
		assertion_audiences: audienceNames(assertionAudiences),
	}),

	/**
	 * Creates the program, or pins the document that changed.
	 *
	 * @throws AppError `request.invalid` (`allowed_resources`, `assertion_audiences`), `program_request.unreadable` (a change without a document),
	 * `program_request.document_changed` (another document than the one that the reviewer read).
	 */
	async approve({ stores, request, caller, publicUrl, nowMs }, { documentDigest: seen, ...settings }) {
		const { document, resultId: applicationId } = request;
		if (applicationId === null) throw new Error("an approved program request has no application");
		if (document === null)
			throw new AppError(
				"program_request.unreadable",
				"the document could not be read: read it again, or reject the change to keep what was reviewed",
			);
		// The decided row is locked, so its document is the one that is pinned.
		if (seen !== undefined && seen !== documentDigest(document))
			throw new AppError(
				"program_request.document_changed",
				"the document was read again and has changed: read the request again, then decide",
			);
		const pinned = { applicationId, document, settings, caller, publicUrl, nowMs };
		await (request.isChange ? repinProgram : createProgram)(stores, pinned);
		return await askerMails(stores, request, "program_request_approved");
	},

	/** Of a change, keeps what was reviewed. */
	reject: ({ stores, request }) => askerMails(stores, request, "program_request_rejected"),
	preview: ({ stores, request }, status) => askerMails(stores, request, `program_request_${status}`),
	resend: ({ stores, request }) => askerMails(stores, request, "program_request_approved"),
};
