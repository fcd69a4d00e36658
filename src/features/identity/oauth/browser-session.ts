// The session of the browser that comes to an endpoint of the OpenID provider: read, never renewed.

import { tokenDigest } from "../../../crypto/digest.ts";
import { REFRESH_GRACE_SECONDS, type Session } from "../../../domain/session.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

/**
 * A token that was replaced a moment ago counts: another tab may be renewing it. One that was replaced before does not;
 * the next refresh ends its session.
 *
 * @returns the person's own session; undefined for one of an application.
 */
export async function findBrowserSession(
	{ db, clock, keys }: Needs<"sessions", "clock" | "keys">,
	refreshToken: string,
): Promise<Session | undefined> {
	const { sessions } = db.stores;
	const digest = tokenDigest(refreshToken);
	const now = clock();
	const session = (await sessions.findByRefreshDigest(digest)) ?? (await findRepeated());
	return session?.appId === null && session.refreshExpiresAtMs > now ? session : undefined;

	async function findRepeated(): Promise<Session | undefined> {
		const used = await sessions.findUsedRefresh(digest);
		if (used === undefined || now - used.usedAtMs > REFRESH_GRACE_SECONDS * SECOND_MS) return undefined;
		return await sessions.findByRefreshDigest(tokenDigest(keys.refreshSuccessor(refreshToken)));
	}
}
