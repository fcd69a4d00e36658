// Finds the session that a refresh token names, and says whether the token is the current one. Renews no session.

import { equalTexts, tokenDigest } from "../../../crypto/digest.ts";
import type { SessionToken } from "../../../domain/keyed-digests.ts";
import { REFRESH_GRACE_SECONDS, type Session } from "../../../domain/session.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

export interface PresentedSession {
	readonly session: Session;
	readonly token: SessionToken;
	/**
	 * `replaced`: the token before the current one, within `REFRESH_GRACE_SECONDS`. `used`: any other earlier one. `lost`: one
	 * that a failover forgot, which proves that the current one was used.
	 */
	readonly state: "current" | "replaced" | "used" | "lost";
}

/** Undefined for a token that the service did not issue, and after the end of its session. The session may have expired. */
export async function findPresented(
	{ db, clock, keys }: Needs<"sessions", "clock" | "keys">,
	refreshToken: string,
): Promise<PresentedSession | undefined> {
	const token = keys.refreshTokens.read(refreshToken);
	if (token === undefined) return undefined;
	const session = await db.stores.sessions.findById(token.id);
	if (session === undefined || !equalTexts(tokenDigest(token.secret), session.secretDigest)) return undefined;
	return { session, token, state: stateOf(session, token.generation, clock()) };
}

function stateOf(
	{ generation: current, rotatedAtMs }: Session,
	generation: number,
	nowMs: number,
): PresentedSession["state"] {
	if (generation >= current) return generation === current ? "current" : "lost";
	// A clock behind that of the node which replaced the token does not extend the time.
	const isRecent = Math.abs(nowMs - rotatedAtMs) <= REFRESH_GRACE_SECONDS * SECOND_MS;
	return generation === current - 1 && isRecent ? "replaced" : "used";
}

/**
 * The user's own session behind the cookie of a browser, not one of an application. Accepts a refresh token that was just
 * replaced, because another tab may be renewing the session. Ignores any other: the next refresh revokes its session.
 */
export async function findBrowserSession(
	needs: Needs<"sessions", "clock" | "keys">,
	refreshToken: string,
): Promise<Session | undefined> {
	const presented = await findPresented(needs, refreshToken);
	if (presented?.state !== "current" && presented?.state !== "replaced") return undefined;
	const { session } = presented;
	return session.appId === null && session.refreshExpiresAtMs > needs.clock() ? session : undefined;
}
