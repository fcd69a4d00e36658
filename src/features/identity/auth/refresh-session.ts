// Exchanges a refresh token for its successor and a new access token.

import { tokenDigest } from "../../../crypto/digest.ts";
import { named } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import {
	type IssuedTokens,
	REFRESH_GRACE_SECONDS,
	REFRESH_SLIDING_SECONDS,
	type Session,
} from "../../../domain/session.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { findEntryRefusal, lacksRequiredFactor, secondFactorRequired } from "../steps/may-enter.ts";
import { issueTokens } from "../steps/open-session.ts";

type Needed = Needs<
	"sessions" | "users" | "accessFacts" | "secondFactors" | "audit",
	"clock" | "accessTokens" | "keys"
>;

/**
 * Each token works once. Its successor is derived from it, so reusing the latest token within `REFRESH_GRACE_SECONDS`
 * (after a lost response, or in concurrent requests) returns the same successor. Any other used token revokes the
 * session.
 *
 * @throws AppError `refresh_token.invalid`; `account.disabled`, `application.access_denied`, and `mfa.required`, which
 * revoke the session.
 */
export async function refreshSession(
	needs: Needed,
	refreshToken: string,
	origin: Origin,
): Promise<IssuedTokens> {
	const { db, clock, keys, accessTokens } = needs;
	const digest = tokenDigest(refreshToken);
	const now = clock();
	const current = await db.stores.sessions.findByRefreshDigest(digest);
	const session = current ?? (await findRepeated(needs, digest, refreshToken, origin));
	if (session === undefined || session.refreshExpiresAtMs <= now) throw invalidRefreshToken();
	const user = await checkStillAllowed(needs, session, origin);
	const successor = keys.refreshSuccessor(refreshToken);
	const renewed = current === undefined ? session : await rotate(needs, session, digest, successor, origin);
	return await issueTokens(accessTokens, { session: renewed, refreshToken: successor }, user, now);
}

/** The session of a refresh token, even if the token was used or the session has expired. */
export async function findSessionOf(
	{ db }: Needs<"sessions">,
	refreshToken: string,
): Promise<Session | undefined> {
	const digest = tokenDigest(refreshToken);
	const current = await db.stores.sessions.findByRefreshDigest(digest);
	return current ?? (await findUsed({ db }, digest))?.session;
}

/** One conditional UPDATE decides between concurrent requests; the others receive the same successor. */
async function rotate(
	{ db, clock }: Needed,
	session: Session,
	fromDigest: string,
	successor: string,
	origin: Origin,
): Promise<Session> {
	const now = clock();
	const refreshExpiresAtMs = Math.min(now + REFRESH_SLIDING_SECONDS * SECOND_MS, session.absoluteExpiresAtMs);
	const to = { digest: tokenDigest(successor), refreshExpiresAtMs };
	const isRotated = await db.transaction(({ sessions }) =>
		sessions.rotate(session.id, fromDigest, to, origin, now),
	);
	if (isRotated) return { ...session, refreshExpiresAtMs };
	const found = await db.stores.sessions.findByRefreshDigest(to.digest);
	if (found === undefined) throw invalidRefreshToken();
	return found;
}

/**
 * The session of the latest used token, within the grace period.
 *
 * @throws AppError `refresh_token.invalid` for any other used token, after revoking its session.
 */
async function findRepeated(
	needs: Needed,
	digest: string,
	refreshToken: string,
	origin: Origin,
): Promise<Session | undefined> {
	const { clock, keys } = needs;
	const used = await findUsed(needs, digest);
	if (used === undefined) return undefined;
	const { session, usedAtMs } = used;
	const isLast = session.refreshDigest === tokenDigest(keys.refreshSuccessor(refreshToken));
	if (isLast && clock() - usedAtMs <= REFRESH_GRACE_SECONDS * SECOND_MS) return session;
	await endSession(needs, session, "session.refresh_reused", origin);
	throw invalidRefreshToken();
}

async function findUsed(
	{ db }: Needs<"sessions">,
	digest: string,
): Promise<{ readonly session: Session; readonly usedAtMs: number } | undefined> {
	const used = await db.stores.sessions.findUsedRefresh(digest);
	const session = used && (await db.stores.sessions.findById(used.sessionId));
	return session && { session, usedAtMs: used.usedAtMs };
}

async function checkStillAllowed(needs: Needed, session: Session, origin: Origin): Promise<User> {
	const { db } = needs;
	const user = await db.stores.users.findById(session.tenantId, session.userId);
	if (user === undefined) throw invalidRefreshToken();
	let refusal = await findEntryRefusal(db.stores, user, session.appId);
	if (refusal === undefined && (await lacksRequiredFactor(db.stores, session)))
		refusal = secondFactorRequired();
	if (refusal === undefined) return user;
	await endSession(needs, session, "session.refresh_refused", origin, refusal.code);
	throw refusal;
}

function endSession(
	{ db, clock }: Pick<Needed, "db" | "clock">,
	{ id, tenantId, userId, appId }: Session,
	action: "session.refresh_reused" | "session.refresh_refused",
	origin: Origin,
	reason?: string,
): Promise<void> {
	return db.transaction(async ({ sessions, users, audit }) => {
		// Of concurrent requests, only the one that revokes the session records it.
		if (!(await sessions.end(tenantId, userId, id, clock()))) return;
		const user = await users.findById(tenantId, userId);
		const target = named("user", userId, user?.username ?? "");
		const details = { session_id: id, app_id: appId, ...(reason && { reason }) };
		await audit.append(anonymousCaller(tenantId, origin), action, target, details);
	});
}

/** One error for every reason. */
function invalidRefreshToken(): AppError {
	return new AppError("refresh_token.invalid", "refresh token is invalid or expired");
}
