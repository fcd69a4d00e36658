// The session of a person at the host of an application. It belongs to the session of the same browser at this service,
// and ends with it.

import { equalTexts, tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { userTarget } from "../../../domain/audit.ts";
import { type Caller, userCaller } from "../../../domain/caller.ts";
import { REFRESH_ABSOLUTE_SECONDS, REFRESH_SLIDING_SECONDS, type Session } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { findSupporter, isSupport, supportCaller } from "../../../domain/support-session.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

export interface GateSession {
	readonly session: Session;
	/** The session at this service. */
	readonly signInId: string;
}

/** The id of the session at this service, and a token of the other, whose MAC covers both. */
const COOKIE = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{91})$/;
/** Sessions are extended at most once in this time, so that requests rarely write. */
const EXTENDED_AFTER_SECONDS = 3_600;

/**
 * Opens a session at the application for the person of a session at this service, with its authentication methods.
 *
 * @returns the value of the cookie; undefined if that session has ended.
 */
export async function openGateSession(
	{ db, clock, keys }: Needs<"sessions" | "supportSessions" | "audit", "clock" | "keys">,
	applicationId: string,
	tenantId: string,
	signInId: string,
	origin: Origin,
): Promise<string | undefined> {
	const nowMs = clock();
	const holder = await db.stores.sessions.findSignedIn(signInId, nowMs);
	const signIn = await db.stores.sessions.findById(signInId);
	if (holder?.tenantId !== tenantId || holder.appId !== null || signIn === undefined) return undefined;
	const { user } = holder;
	const caller = await callerOf(db.stores, signIn, user, origin, nowMs);
	if (caller === undefined) return undefined;
	const secret = randomToken();
	// A support session is not extended.
	const [slidingMs, absoluteMs] = isSupport(signIn)
		? [signIn.absoluteExpiresAtMs - nowMs, signIn.absoluteExpiresAtMs - nowMs]
		: [REFRESH_SLIDING_SECONDS * SECOND_MS, REFRESH_ABSOLUTE_SECONDS * SECOND_MS];
	const session: Session = {
		...signIn,
		id: newId(nowMs),
		appId: applicationId,
		generation: 0,
		secretDigest: tokenDigest(secret),
		rotatedAtMs: nowMs,
		refreshExpiresAtMs: nowMs + slidingMs,
		absoluteExpiresAtMs: nowMs + absoluteMs,
		ip: origin.ip,
		userAgent: origin.userAgent,
		createdAtMs: nowMs,
		lastUsedAtMs: nowMs,
	};
	return db.transaction(async ({ sessions, audit }) => {
		if (!(await sessions.hold(tenantId, user.id, signInId))) return undefined;
		await sessions.insert(session);
		const details = { session_id: session.id, app_id: applicationId, amr: signIn.amr };
		await audit.append(caller, "user.signed_in", userTarget(user), details);
		return `${signInId}.${keys.gateTokens.write({ ...session, secret }, signInId)}`;
	});
}

/** The person, or their supporter in a support session; undefined when that is over. */
async function callerOf(
	{ supportSessions }: Stores<"supportSessions">,
	signIn: Pick<Session, "id" | "amr">,
	user: User,
	origin: Origin,
	nowMs: number,
): Promise<Caller | undefined> {
	if (!isSupport(signIn)) return userCaller(user, origin);
	const supporter = await findSupporter(supportSessions, signIn.id, nowMs);
	return supporter && supportCaller(supporter, user, origin);
}

/**
 * A refresh token has another key: it opens nothing here, and the cookie renews nothing and obtains no token.
 *
 * @returns undefined when it has ended. The session at this service may have ended, too: read its holder.
 */
export async function findGateSession(
	{ db, clock, keys }: Needs<"sessions", "clock" | "keys">,
	applicationId: string,
	cookie: string,
): Promise<GateSession | undefined> {
	const [, signInId = "", sent = ""] = COOKIE.exec(cookie) ?? [];
	const token = keys.gateTokens.read(sent, signInId);
	if (token === undefined) return undefined;
	const session = await db.stores.sessions.findById(token.id);
	if (session === undefined || !equalTexts(tokenDigest(token.secret), session.secretDigest)) return undefined;
	const isLive = session.appId === applicationId && session.refreshExpiresAtMs > clock();
	return isLive ? { session, signInId } : undefined;
}

/** Both sessions continue while the person uses either host. */
export async function extendGateSession(
	{ db, clock }: Needs<"sessions", "clock">,
	{ session, signInId }: GateSession,
): Promise<void> {
	const { id, refreshExpiresAtMs, absoluteExpiresAtMs } = session;
	const nowMs = clock();
	const extendedAtMs = refreshExpiresAtMs - REFRESH_SLIDING_SECONDS * SECOND_MS;
	if (nowMs < extendedAtMs + EXTENDED_AFTER_SECONDS * SECOND_MS || refreshExpiresAtMs >= absoluteExpiresAtMs)
		return;
	// One after the other: a transaction over two sessions could wait for one that ends all of the person.
	for (const sessionId of [signInId, id])
		await db.transaction(({ sessions }) => sessions.extend(sessionId, nowMs));
}

/** Signs the browser out at the application and at this service: otherwise the next visit would sign it in again. */
export async function endGateSession(
	{ db, clock }: Needs<"sessions" | "supportSessions" | "audit", "clock">,
	{ session, signInId }: GateSession,
	origin: Origin,
): Promise<void> {
	const holder = await db.stores.sessions.findSignedIn(signInId, clock());
	if (holder?.user.id !== session.userId) return;
	const { tenantId, user } = holder;
	const caller = await callerOf(db.stores, { id: signInId, amr: session.amr }, user, origin, clock());
	if (caller === undefined) return;
	for (const id of [signInId, session.id])
		await db.transaction(async ({ sessions, supportSessions, audit }) => {
			if (isSupport(session) && id === signInId) await supportSessions.end(tenantId, id, clock());
			if (await sessions.end(tenantId, user.id, id, clock()))
				await audit.append(caller, "user.signed_out", userTarget(user), { session_id: id });
		});
}
