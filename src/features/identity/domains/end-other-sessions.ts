// Ends the sessions of a domain's users that did not begin at its issuer.

import type { EmailDomain } from "../../../domain/email-domain.ts";
import { endUnboundSessions } from "../../../domain/enforced-sign-in.ts";
import { domainOf } from "../../../kernel/email-address.ts";
import type { Needs } from "../../platform.ts";

/** In one transaction. */
const USERS_AT_ONCE = 50;

/** A sign-in that is under way meanwhile is refused at its first refresh. */
export async function endOtherSessions(
	{ db, clock }: Needs<"domains" | "sessions" | "users", "clock">,
	{ tenantId, domain }: EmailDomain,
): Promise<void> {
	let last = "";
	for (;;) {
		const ids = await db.stores.sessions.listUserIds(tenantId, last, USERS_AT_ONCE);
		await db.transaction(async (stores) => {
			for (const id of ids) {
				const user = await stores.users.findById(tenantId, id);
				if (user !== undefined && domainOf(user.email) === domain)
					await endUnboundSessions(stores, user, clock());
			}
		});
		last = ids.at(-1) ?? "";
		if (ids.length < USERS_AT_ONCE) return;
	}
}
