// Mails about programs to the people who asked.

import type { NewMail } from "../../../domain/mail.ts";
import { hostOf } from "../../../domain/program-document.ts";
import { type ProgramRequest, programRequestTarget } from "../../../domain/program-request.ts";
import type { Stores } from "../../../domain/stores.ts";
import { userMail } from "../steps/address-mail.ts";

/** As every mail names a program: never without its host. */
export function mailNames(request: Pick<ProgramRequest, "id" | "url" | "document">) {
	return { programName: programRequestTarget(request).name, host: hostOf(request.url) };
}

/** One for each person who asked and can sign in. */
export async function askerMails(
	{ users, programRequests }: Stores<"users" | "programRequests">,
	request: ProgramRequest,
	kind: "program_request_approved" | "program_request_rejected",
): Promise<NewMail[]> {
	const { tenantId, id, reviewNote } = request;
	const mails: NewMail[] = [];
	for (const { userId } of await programRequests.listAskers(tenantId, id)) {
		const asker = await users.findById(tenantId, userId);
		if (asker?.status === "active") mails.push(userMail(asker, { kind, ...mailNames(request), reviewNote }));
	}
	return mails;
}
