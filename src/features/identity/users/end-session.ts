// A user ends one of their own sessions.

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
		await audit.append(caller, "session.ended", `session:${sessionId}`, details);
	});
}
