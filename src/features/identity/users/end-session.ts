// Users end their own sessions; administrators end sessions of a user.

import { named, userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { getManaged } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { sessionEnded } from "../steps/confirm-owner.ts";

/**
 * Ends a session of the caller, possibly the current one. Its access and refresh tokens become invalid immediately.
 *
 * @throws AppError `session.not_found`, also for another user's session, and to an application for any but its own.
 */
export async function endSession(
	{ db, clock }: Needs<"sessions" | "audit", "clock">,
	sessionId: string,
	caller: SignedIn,
): Promise<void> {
	if (caller.appId !== null && sessionId !== caller.sessionId) throw sessionNotFound();
	await db.transaction(async ({ sessions, audit }) => {
		if (!(await sessions.end(caller.tenantId, caller.userId, sessionId, clock()))) throw sessionNotFound();
		const details = { current: sessionId === caller.sessionId };
		await audit.append(caller, "session.ended", named("session", sessionId, ""), details);
	});
}

/**
 * Ends every session of the caller except the current one.
 *
 * @returns the number of live sessions ended.
 * @throws AppError `token.invalid` if the current session ended in the meantime.
 */
export async function endOtherSessions(
	{ db, clock }: Needs<"sessions" | "audit", "clock">,
	caller: SignedIn,
): Promise<number> {
	const { tenantId, userId, sessionId } = caller;
	return await db.transaction(async ({ sessions, audit }) => {
		if (!(await sessions.hold(tenantId, userId, sessionId))) throw sessionEnded();
		const ended = await sessions.endAll(tenantId, userId, clock(), sessionId);
		await audit.append(caller, "user.other_sessions_ended", userTarget(caller.user), { sessions: ended });
		return ended;
	});
}

/** Ends the current session. A concurrent call that finds it ended succeeds without an audit event. */
export async function signOut(
	{ db, clock }: Needs<"sessions" | "audit", "clock">,
	caller: SignedIn,
): Promise<void> {
	const { tenantId, userId, sessionId } = caller;
	await db.transaction(async ({ sessions, audit }) => {
		if (await sessions.end(tenantId, userId, sessionId, clock()))
			await audit.append(caller, "user.signed_out", userTarget(caller.user), { session_id: sessionId });
	});
}

/**
 * An administrator ends one session of a user of the tenant. The target of the audit event is the user, so that the
 * user's history shows it.
 *
 * @throws AppError `user.not_found`, `role.required`, `session.not_found` (also for a session of another user).
 */
export async function endSessionOf(
	{ db, clock }: Needs<"users" | "sessions" | "audit", "clock">,
	{ userId, sessionId }: { readonly userId: string; readonly sessionId: string },
	caller: Administrator,
): Promise<void> {
	await db.transaction(async ({ users, sessions, audit }) => {
		const user = await getManaged(users, userId, caller);
		if (!(await sessions.end(caller.tenantId, userId, sessionId, clock()))) throw sessionNotFound();
		await audit.append(caller, "user.session_ended", userTarget(user), { session_id: sessionId });
	});
}

/**
 * An administrator ends every session of a user of the tenant.
 *
 * @returns the number of live sessions ended.
 * @throws AppError `user.not_found`, `role.required`.
 */
export function endAllSessionsOf(
	{ db, clock }: Needs<"users" | "sessions" | "audit", "clock">,
	userId: string,
	caller: Administrator,
): Promise<number> {
	return db.transaction((stores) => endAllSessionsIn(stores, userId, caller, clock()));
}

/** `endAllSessionsOf` inside a transaction. */
export async function endAllSessionsIn(
	{ users, sessions, audit }: Stores<"users" | "sessions" | "audit">,
	userId: string,
	caller: Administrator,
	nowMs: number,
): Promise<number> {
	const user = await getManaged(users, userId, caller);
	const ended = await sessions.endAll(caller.tenantId, userId, nowMs);
	await audit.append(caller, "user.sessions_revoked", userTarget(user), { sessions: ended });
	return ended;
}

function sessionNotFound(): AppError {
	return new AppError("session.not_found", "no such session");
}
