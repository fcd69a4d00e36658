// A person takes back what an application was allowed.

import { userTarget } from "../../../domain/audit.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"oauthConsents" | "oauthGrants" | "applications" | "audit">;

/**
 * Everything the application got for the person ends with the consent: codes, access tokens and refresh tokens of all
 * sessions. Of simultaneous calls one succeeds.
 *
 * @throws AppError `application.token`, `consent.not_found` (also for the consent of another person).
 */
export async function withdrawConsent({ db }: Needed, id: string, caller: SignedIn): Promise<void> {
	checkInPerson(caller, "withdraw a consent of its user");
	const { tenantId, userId, user } = caller;
	await db.transaction(async ({ oauthConsents, oauthGrants, applications, audit }) => {
		// The consent first: a sign-in under way holds it while it writes its grant.
		const removed = found(
			await oauthConsents.remove(tenantId, userId, id),
			() => new AppError("consent.not_found", "no such consent"),
		);
		const { clientId, scopes } = removed;
		await oauthGrants.endAll(userId, clientId);
		const application = await applications.findById(tenantId, clientId);
		const details = { app_id: clientId, app_name: application?.name ?? "", scopes: scopes.join(" ") };
		await audit.append(caller, "oauth.consent_withdrawn", userTarget(user), details);
	});
}
