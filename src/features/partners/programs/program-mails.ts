// Mails about programs: to reviewers, and to the people who asked.

import { LOCALES } from "../../../domain/locale.ts";
import type { NewMail } from "../../../domain/mail.ts";
import { hostOf } from "../../../domain/program-document.ts";
import { type ProgramRequest, programRequestTarget } from "../../../domain/program-request.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { addressMail } from "../steps/address-mail.ts";

/** In English for people who have chosen no language. */
function mailFor({ tenantId, displayName: name, email, locale }: User, message: NewMail["message"]): NewMail {
	return addressMail(tenantId, { name, email, locale: locale ?? LOCALES[0] }, message);
}

/** As every mail names a program: never without its host. */
export function mailNames(request: Pick<ProgramRequest, "id" | "url" | "document">) {
	return { programName: programRequestTarget(request).name, host: hostOf(request.url) };
}

/** Inside a transaction. */
export async function mailReviewers(
	{ users, mail }: Stores<"users" | "mail">,
	tenantId: string,
	message: NewMail["message"],
): Promise<void> {
	for (const reviewer of await users.listReviewers(tenantId)) await mail.put(mailFor(reviewer, message));
}

/** Inside the transaction of the decision. */
export async function mailAskers(
	{ users, mail, programRequests }: Stores<"users" | "mail" | "programRequests">,
	request: ProgramRequest,
	kind: "program_request_approved" | "program_request_rejected",
): Promise<void> {
	const { tenantId, id, reviewNote } = request;
	for (const { userId } of await programRequests.listAskers(tenantId, id)) {
		const asker = await users.findById(tenantId, userId);
		if (asker?.status === "active")
			await mail.put(mailFor(asker, { kind, ...mailNames(request), reviewNote }));
	}
}

export function reviewUrl(publicUrl: string, { id }: Pick<ProgramRequest, "id">): string {
	return `${publicUrl}/console/program-requests/${id}`;
}
