// Finds the session behind the cookie of a browser without renewing it.

import type { Session } from "../../../domain/session.ts";
import type { Needs } from "../../platform.ts";
import { findPresented } from "./find-presented-session.ts";

/**
 * The user's own session, not one of an application. Accepts a refresh token that was just replaced, because another tab
 * may be renewing the session. Ignores any other: the next refresh revokes its session.
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
