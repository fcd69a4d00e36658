// Ends the session of whoever asks.

import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { SessionStore, SignedIn } from "./model.ts";

export interface SignOutDeps {
	readonly db: Persistence<{ sessions: SessionStore; audit: AuditLog }>;
}

/** Access and refresh token are worthless at once. Of two at the same time one finds the session ended already: no harm. */
export async function signOut({ db }: SignOutDeps, signedIn: SignedIn, origin: Origin): Promise<void> {
	const { tenantId, sessionId, user } = signedIn;
	await db.transaction(async ({ sessions, audit }) => {
		if (!(await sessions.end(tenantId, user.id, sessionId))) return;
		await audit.append({
			tenantId,
			actor: `user:${user.id}`,
			action: "user.signed_out",
			target: `user:${user.id}`,
			origin,
			details: { session_id: sessionId },
		});
	});
}
