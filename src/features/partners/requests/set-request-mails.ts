// A reviewer chooses when to be mailed about new requests.

import { userTarget } from "../../../domain/audit.ts";
import type { RequestMailFrequency } from "../../../domain/request-mails.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { fieldChanges } from "../../../kernel/changes.ts";
import type { Needs } from "../../platform.ts";

/** Writes nothing if it is chosen already. @throws AppError `application.token`. */
export async function setRequestMails(
	{ db, clock }: Needs<"requestMails" | "audit", "clock">,
	requestMails: RequestMailFrequency,
	caller: SignedIn,
): Promise<void> {
	checkInPerson(caller, "choose the mails of its user");
	const { tenantId, userId, user } = caller;
	await db.transaction(async (stores) => {
		const before = { requestMails: await stores.requestMails.frequencyOf(tenantId, userId) };
		if (before.requestMails === requestMails) return;
		await stores.requestMails.set(tenantId, userId, requestMails, clock());
		const changes = fieldChanges(before, { requestMails });
		await stores.audit.append(
			caller,
			"user.updated",
			userTarget(user),
			{ fields: ["request_mails"] },
			changes,
		);
	});
}
