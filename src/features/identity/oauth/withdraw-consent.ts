// A user withdraws their consent to an application.

import { userTarget } from "../../../domain/audit.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"oauthConsents" | "oauthGrants" | "sessions" | "applications" | "audit">;

/**
 * Also revokes all codes, access tokens, and refresh tokens that the application holds for the user, in every session,
 * and ends sessions of the application that were opened without OpenID Connect. Of concurrent calls, one succeeds.
 *
 * @throws AppError `application.token`, `consent.not_found` (also for another user's consent).
 */
export async function withdrawConsent({ db }: Needed, id: string, caller: SignedIn): Promise<void> {
	checkInPerson(caller, "withdraw a consent of its user");
	const { tenantId, userId, user } = caller;
	await db.transaction(async ({ oauthConsents, oauthGrants, sessions, applications, audit }) => {
		// Remove the consent first: a sign-in in progress locks it while writing its grant.
		const removed = found(
			await oauthConsents.remove(tenantId, userId, id),
			() => new AppError("consent.not_found", "no such consent"),
		);
		const { clientId, scopes } = removed;
		await oauthGrants.endAll(userId, clientId);
		const ended = await sessions.endOfApplication(tenantId, userId, clientId);
		const application = await applications.findById(tenantId, clientId);
		const app = { app_id: clientId, app_name: application?.name ?? "" };
		const details = { ...app, scopes: scopes.join(" "), sessions: ended };
		await audit.append(caller, "oauth.consent_withdrawn", userTarget(user), details);
	});
}
