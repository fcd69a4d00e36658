// Finds the session behind the cookie of a browser without renewing it.

import { tokenDigest } from "../../../crypto/digest.ts";
import { REFRESH_GRACE_SECONDS, type Session } from "../../../domain/session.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

/**
 * The user's own session, not one of an application. Accepts a refresh token that was just replaced, because another tab
 * may be renewing the session. Ignores an older one: the next refresh revokes its session.
 */
export async function findBrowserSession(
	{ db, clock, keys }: Needs<"sessions", "clock" | "keys">,
	refreshToken: string,
): Promise<Session | undefined> {
	const { sessions } = db.stores;
	const digest = tokenDigest(refreshToken);
	const now = clock();
	const session = (await sessions.findByRefreshDigest(digest)) ?? (await findReplaced());
	return session?.appId === null && session.refreshExpiresAtMs > now ? session : undefined;

	async function findReplaced(): Promise<Session | undefined> {
		const used = await sessions.findUsedRefresh(digest);
		if (used === undefined || now - used.usedAtMs > REFRESH_GRACE_SECONDS * SECOND_MS) return undefined;
		return await sessions.findByRefreshDigest(tokenDigest(keys.refreshSuccessor(refreshToken)));
	}
}
