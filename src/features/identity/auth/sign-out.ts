// Ends the session of the caller.

import type { SignedIn } from "../../../domain/session.ts";
import type { Needs } from "../../platform.ts";

/** Access and refresh token are invalid at once. A parallel call that finds the session ended succeeds without an event. */
export async function signOut({ db }: Needs<"sessions" | "audit">, caller: SignedIn): Promise<void> {
	const { tenantId, userId, sessionId } = caller;
	await db.transaction(async ({ sessions, audit }) => {
		if (await sessions.end(tenantId, userId, sessionId))
			await audit.append(caller, "user.signed_out", `user:${userId}`, { session_id: sessionId });
	});
}
