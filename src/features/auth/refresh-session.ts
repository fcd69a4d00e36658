// Exchanges a refresh token for its successor and a fresh access token.

import type { AccessTokens } from "../../crypto/access-token.ts";
import { tokenDigest } from "../../crypto/digest.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AccessFactStore, decideAccess } from "../authorization/model.ts";
import type { SecondFactorStore } from "../mfa/model.ts";
import type { User, UserStore } from "../users/model.ts";
import type { AuthKeys } from "./auth-keys.ts";
import {
	type IssuedTokens,
	REFRESH_GRACE_SECONDS,
	REFRESH_SLIDING_SECONDS,
	type Session,
	type SessionStore,
} from "./model.ts";
import { issueTokens } from "./open-session.ts";

interface RefreshStores {
	readonly sessions: SessionStore;
	readonly users: UserStore;
	readonly accessFacts: AccessFactStore;
	readonly secondFactors: SecondFactorStore;
	readonly audit: AuditLog;
}

export interface RefreshDeps {
	readonly db: Persistence<RefreshStores>;
	readonly clock: Clock;
	readonly accessTokens: AccessTokens;
	readonly keys: AuthKeys;
}

/**
 * Each token works once. Its successor follows from it, so the token used last may be sent again within
 * `REFRESH_GRACE_SECONDS` (an answer that got lost, or several requests at once) and gets the same successor; any
 * used token that comes later or out of turn ends the whole session.
 *
 * @throws AppError `refresh_token.invalid`; `account.disabled`, `application.access_denied` and `mfa.required`, which end the
 * session.
 */
export async function refreshSession(
	deps: RefreshDeps,
	refreshToken: string,
	origin: Origin,
): Promise<IssuedTokens> {
	const { db, clock, keys, accessTokens } = deps;
	const { sessions } = db.stores;
	const digest = tokenDigest(refreshToken);
	const now = clock();
	const current = await sessions.findByRefreshDigest(digest);
	const session = current ?? (await findRepeated(deps, digest, refreshToken, origin));
	if (session === undefined || session.refreshExpiresAtMs <= now) throw invalidToken();
	const user = await checkStillAllowed(deps, session, origin);
	const successor = keys.refreshSuccessor(refreshToken);
	const renewed = current === undefined ? session : await rotate(deps, session, digest, successor, origin);
	return await issueTokens(accessTokens, { session: renewed, refreshToken: successor }, user, now);
}

/** One conditional UPDATE decides who rotates; whoever comes second a moment later gets the same successor. */
async function rotate(
	{ db, clock }: RefreshDeps,
	session: Session,
	fromDigest: string,
	successor: string,
	origin: Origin,
): Promise<Session> {
	const now = clock();
	const refreshExpiresAtMs = Math.min(now + REFRESH_SLIDING_SECONDS * SECOND_MS, session.absoluteExpiresAtMs);
	const to = { digest: tokenDigest(successor), refreshExpiresAtMs };
	const rotated = await db.transaction((stores) =>
		stores.sessions.rotate(session.id, fromDigest, to, origin, now),
	);
	if (rotated) return { ...session, refreshExpiresAtMs };
	const found = await db.stores.sessions.findByRefreshDigest(to.digest);
	if (found === undefined) throw invalidToken();
	return found;
}

/**
 * The session of a token that was used before, when it may be answered once more.
 *
 * @throws AppError `refresh_token.invalid` after it has ended the session of a token used long ago or out of turn.
 */
async function findRepeated(
	{ db, clock, keys }: RefreshDeps,
	digest: string,
	refreshToken: string,
	origin: Origin,
): Promise<Session | undefined> {
	const used = await db.stores.sessions.findUsedRefresh(digest);
	if (used === undefined) return undefined;
	const session = await db.stores.sessions.findById(used.sessionId);
	if (session === undefined) return undefined;
	const isLast = session.refreshDigest === tokenDigest(keys.refreshSuccessor(refreshToken));
	if (isLast && clock() - used.usedAtMs <= REFRESH_GRACE_SECONDS * SECOND_MS) return session;
	await endSession(db, session, "session.refresh_reused", origin);
	throw invalidToken();
}

async function checkStillAllowed(deps: RefreshDeps, session: Session, origin: Origin): Promise<User> {
	const { db } = deps;
	const { tenantId, userId } = session;
	const user = await db.stores.users.findById(tenantId, userId);
	if (user === undefined) throw invalidToken();
	const refusal = await findRefusal(deps, session, user);
	if (refusal === undefined) return user;
	await endSession(db, session, "session.refresh_refused", origin, refusal.code);
	throw refusal;
}

async function findRefusal(
	{ db }: RefreshDeps,
	{ tenantId, userId, appId, amr }: Session,
	user: User,
): Promise<AppError | undefined> {
	const { accessFacts, secondFactors } = db.stores;
	if (user.status !== "active") return new AppError("account.disabled", "this account is disabled");
	if (appId !== null && !decideAccess(await accessFacts.load(tenantId, userId, appId)).allowed)
		return new AppError("application.access_denied", "you have no access to this application");
	if (!amr.includes("mfa") && (await secondFactors.isRequired(tenantId, appId)))
		return new AppError("mfa.required", "a second factor is required here: sign in again");
	return undefined;
}

function endSession(
	db: RefreshDeps["db"],
	{ id, tenantId, userId, appId }: Session,
	action: "session.refresh_reused" | "session.refresh_refused",
	origin: Origin,
	reason?: string,
): Promise<void> {
	return db.transaction(async ({ sessions, audit }) => {
		// Of several at once only the one that ends it tells.
		if (!(await sessions.end(tenantId, userId, id))) return;
		const details = { session_id: id, app_id: appId, ...(reason === undefined ? {} : { reason }) };
		await audit.append({ tenantId, actor: "anonymous", action, target: `user:${userId}`, origin, details });
	});
}

function invalidToken(): AppError {
	return new AppError("refresh_token.invalid", "refresh token is invalid or expired");
}
