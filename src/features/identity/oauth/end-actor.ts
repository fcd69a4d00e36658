// A person ends what a client does at an API for them.

import { userTarget } from "../../../domain/audit.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"oauthActors" | "oauthGrants" | "applications" | "audit">;

/**
 * Ends the sign-in on which the client relies, with all its tokens. Of concurrent calls, one succeeds.
 *
 * @throws AppError `application.token`, `actor.not_found` (also for another user's).
 */
export async function endActor({ db }: Needed, id: string, caller: SignedIn): Promise<void> {
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
