// The guard of sign-out: an access token, or the session cookie of a browser.

import type { SignedIn } from "../../../domain/session.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { Needs } from "../../platform.ts";
import { type BearerGuard, signedInAs } from "./bearer-guard.ts";
import { findSessionOf } from "./refresh-session.ts";

/**
 * Without an access token, the cookie identifies the session, even if its refresh token was already used, because
 * sign-out only revokes the session. The caller is undefined if the browser has no session or a revoked one.
 */
export function signOutGuard(
	needs: Needs<"sessions", "clock" | "keys">,
	bearer: BearerGuard<SignedIn>,
): Guard<SignedIn | undefined> {
	return {
		...bearer,
		allows: `${bearer.allows}; browsers with a session cookie`,
		admitsCookie: true,
		admit(request) {
			const { browserSession } = request;
			const isBearer = request.headerValues("authorization").length > 0;
			if (isBearer || browserSession === undefined) return bearer.admit(request);
			return findHolder(needs, browserSession.takeToken(), request);
		},
	};
}

async function findHolder(
	needs: Needs<"sessions", "clock" | "keys">,
	refreshToken: string | undefined,
	request: Incoming,
): Promise<SignedIn | undefined> {
	const session = refreshToken === undefined ? undefined : await findSessionOf(needs, refreshToken);
	const holder = session && (await needs.db.stores.sessions.findSignedIn(session.id, needs.clock()));
	if (holder === undefined) return undefined;
	request.userId = holder.user.id;
	request.tenantId = holder.tenantId;
	return signedInAs(holder, request);
}
