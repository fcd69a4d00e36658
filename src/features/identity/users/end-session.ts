// A user ends one of their own sessions: the one in use, or another.

import { named, userTarget } from "../../../domain/audit-target.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

/**
 * Its access and refresh tokens are invalid at once. The session in use can be ended, too.
 *
 * @throws AppError `session.not_found`, also for another user's session.
 */
export async function endSession(
	{ db }: Needs<"sessions" | "audit">,
	sessionId: string,
	caller: SignedIn,
): Promise<void> {
	await db.transaction(async ({ sessions, audit }) => {
		if (!(await sessions.end(caller.tenantId, caller.userId, sessionId)))
			throw new AppError("session.not_found", "no such session");
		const details = { current: sessionId === caller.sessionId };
		await audit.append(caller, "session.ended", named("session", sessionId, ""), details);
	});
}

/** Ends the session in use. A parallel call that finds it ended succeeds without an event. */
export async function signOut({ db }: Needs<"sessions" | "audit">, caller: SignedIn): Promise<void> {
	const { tenantId, userId, sessionId } = caller;
	await db.transaction(async ({ sessions, audit }) => {
		if (await sessions.end(tenantId, userId, sessionId))
			await audit.append(caller, "user.signed_out", userTarget(caller.user), { session_id: sessionId });
	});
}
