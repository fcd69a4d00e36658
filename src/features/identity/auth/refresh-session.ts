// Exchanges a refresh token for its successor and a new access token.

import { named } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import { findEnforcedRefusal } from "../../../domain/enforced-sign-in.ts";
import { type IssuedTokens, REFRESH_SLIDING_SECONDS, type Session } from "../../../domain/session.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { findPresented } from "../steps/find-presented-session.ts";
import { findEntryRefusal, lacksRequiredFactor, secondFactorRequired } from "../steps/may-enter.ts";
import { issueTokens } from "../steps/open-session.ts";

type Needed = Needs<
	"sessions" | "users" | "accessFacts" | "secondFactors" | "domains" | "audit",
	"clock" | "accessTokens" | "keys" | "signIns"
>;

/**
 * Each token works once. It names its session and its generation, so reusing the latest token within `REFRESH_GRACE_SECONDS`
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
	const { clock, keys, accessTokens } = needs;
	const now = clock();
	const presented = await findPresented(needs, refreshToken);
	if (presented === undefined) throw invalidRefreshToken();
	const { session, state, token } = presented;
	if (state === "used") await endSession(needs, session, "session.refresh_reused", origin);
	if (state === "lost")
		await endSession(needs, session, "session.refresh_refused", origin, "refresh_token.invalid");
	if (state === "used" || state === "lost" || session.refreshExpiresAtMs <= now) throw invalidRefreshToken();
	const user = await checkStillAllowed(needs, session, origin);
	const { tenantId, appId } = session;
	needs.signIns.noteUse({ tenantId, appId, subject: { kind: "user", id: user.id }, atMs: now });
	const renewed = state === "current" ? await rotate(needs, session, origin) : session;
	const successor = keys.refreshTokens.write({ ...token, generation: renewed.generation });
	return await issueTokens(accessTokens, { session: renewed, refreshToken: successor }, user, now);
}

/** The session of a refresh token, even if the token was used or the session has expired. */
export async function findSessionOf(
	needs: Needs<"sessions", "clock" | "keys">,
	refreshToken: string,
): Promise<Session | undefined> {
	return (await findPresented(needs, refreshToken))?.session;
}

/** One conditional UPDATE decides between concurrent requests; the others receive the same successor. */
async function rotate(needs: Needed, session: Session, origin: Origin): Promise<Session> {
	const { db, clock } = needs;
	const now = clock();
	const { id, generation } = session;
	const refreshExpiresAtMs = Math.min(now + REFRESH_SLIDING_SECONDS * SECOND_MS, session.absoluteExpiresAtMs);
	if (await db.stores.sessions.rotate(id, generation, refreshExpiresAtMs, origin, now))
		return { ...session, generation: generation + 1, refreshExpiresAtMs };
	const found = await db.stores.sessions.findById(id);
	if (found?.generation === generation + 1) return found;
	if (found !== undefined && found.generation > generation)
		await endSession(needs, found, "session.refresh_reused", origin);
	throw invalidRefreshToken();
}

async function checkStillAllowed(needs: Needed, session: Session, origin: Origin): Promise<User> {
	const { db } = needs;
	const user = await db.stores.users.findById(session.tenantId, session.userId);
	if (user === undefined) throw invalidRefreshToken();
	let refusal =
		(await findEntryRefusal(db.stores, user, session.appId)) ??
		(await findEnforcedRefusal(db.stores, user, session.provider));
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
