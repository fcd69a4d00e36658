// An admin signs somebody out everywhere.

import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { SessionStore } from "../auth/model.ts";
import { checkManages, type User, type UserStore, userNotFound } from "./model.ts";

export interface RevokeSessionsDeps {
	readonly db: Persistence<{ users: UserStore; sessions: SessionStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/**
 * Ends every session of a user of the actor's tenant; the actor's own too when that is the user.
 *
 * @returns how many live sessions ended.
 * @throws AppError `user.not_found`, `role.required`.
 */
export function revokeSessions(
	{ db, clock }: RevokeSessionsDeps,
	userId: string,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<number> {
	const { tenantId } = actor;
	return db.transaction(async ({ users, sessions, audit }) => {
		const user = await users.findById(tenantId, userId);
		if (user === undefined) throw userNotFound();
		checkManages(actor, user);
		const ended = await sessions.endAll(tenantId, userId, clock());
		await audit.append({
			tenantId,
			actor: `user:${actor.id}`,
			action: "user.sessions_revoked",
			target: `user:${userId}`,
			origin,
			details: { sessions: ended },
		});
		return ended;
	});
}
