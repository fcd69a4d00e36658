// Replaces the current session after a step-up, or when an application requires a new sign-in.

import { send } from "../api/request.ts";
import { session, startSession } from "../api/session.ts";
import type { Tokens } from "./visitor-call.ts";

/** Revokes the replaced session, because its refresh token is gone with the cookie. */
export async function replaceSession(tokens: Tokens): Promise<void> {
	const { accessToken: replaced, user } = session.value;
	startSession(tokens);
	// Another user cannot revoke it; without its cookie it expires.
	if (replaced !== undefined && user?.id === tokens.user.id)
		await endSession(replaced, tokens.access_token).catch(reportError);
}

async function endSession(replacedToken: string, accessToken: string): Promise<void> {
	const [, claims = ""] = replacedToken.split(".");
	const { sid } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { sid: string };
	await send("DELETE", `/api/v1/users/me/sessions/${sid}`, { accessToken });
}
