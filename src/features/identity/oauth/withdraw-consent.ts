// A user withdraws their consent to an application, or ends what one does at an API for them.

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

type ActorNeeds = Needs<"oauthActors" | "oauthGrants" | "applications" | "audit">;

/**
 * Ends the sign-in on which the client relies, with all its tokens. Of concurrent calls, one succeeds.
 *
 * @throws AppError `application.token`, `actor.not_found` (also for another user's).
 */
export async function endActor({ db }: ActorNeeds, id: string, caller: SignedIn): Promise<void> {
	checkInPerson(caller, "end what applications do for its user");
	const { tenantId, userId, user } = caller;
	const missing = () => new AppError("actor.not_found", "no such application acts for you");
	await db.transaction(async ({ oauthActors, oauthGrants, applications, audit }) => {
		const { grantId, actorId, apiId } = found(await oauthActors.find(tenantId, userId, id), missing);
		const { clientId, sessionId } = found(await oauthGrants.end(grantId), missing);
		const nameOf = async (appId: string) => (await applications.findById(tenantId, appId))?.name ?? "";
		await audit.append(caller, "oauth.acting_ended", userTarget(user), {
			app_id: actorId,
			app_name: await nameOf(actorId),
			api_id: apiId,
			api_name: await nameOf(apiId),
			client_id: clientId,
			session_id: sessionId,
		});
	});
}
