// A user ends one of their own sessions, wherever it was begun.

import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { SessionStore, SignedIn } from "../auth/model.ts";

export interface EndSessionDeps {
	readonly db: Persistence<{ sessions: SessionStore; audit: AuditLog }>;
}

/**
 * Ends the session; its access and refresh tokens are dead at once. The session in use is no exception.
 *
 * @throws AppError `session.not_found`, also for somebody else's.
 */
export async function endSession(
	{ db }: EndSessionDeps,
	sessionId: string,
	{ signedIn, origin }: { readonly signedIn: SignedIn; readonly origin: Origin },
): Promise<void> {
	const { tenantId, user } = signedIn;
	await db.transaction(async ({ sessions, audit }) => {
		if (!(await sessions.end(tenantId, user.id, sessionId)))
			throw new AppError("session.not_found", "no such session");
		await audit.append({
			tenantId,
			actor: `user:${user.id}`,
			action: "session.ended",
			target: `session:${sessionId}`,
			origin,
			details: { current: sessionId === signedIn.sessionId },
		});
	});
}
