// `/oauth/end-session`: applications send browsers here to sign the user out.

import type { Session } from "../../../domain/session.ts";
import { CLEARED_SESSION, SESSION_COOKIE } from "../../../http/run/browser-session.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountedEndpoint, MountResponse } from "../../../http/run/mount.ts";
import { cookieValue } from "../../../http/run/read-browser-session.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { signedInAs } from "../auth/bearer-guard.ts";
import { findSessionOf } from "../auth/refresh-session.ts";
import { formOf, goTo, refusal } from "./browser-wire.ts";
import {
	requestSignOut,
	SIGN_OUT_PARAMETERS,
	type SignOutNeeds,
	type SignOutParameters,
} from "./request-sign-out.ts";

type Needed = SignOutNeeds & Needs<never, "publicUrl" | "keys">;

export function endSession(needs: Needed): MountedEndpoint {
	return { kind: "browser", respond: (request) => respond(needs, request) };
}

/** @throws AppError `route.not_found` while no tenant has an OAuth client. */
async function respond(needs: Needed, request: Incoming): Promise<MountResponse> {
	if (!(await needs.openId.isUsed())) throw new AppError("route.not_found", "no such resource");
	const parameters = parametersOf(request);
	if ("refused" in parameters) return refusal(parameters.refused);
	const session = await sessionOf(needs, request);
	// Browsers do not send the cookie (`SameSite=Lax`) with a form from another site.
	const knowsSession = request.method === "GET";
	const outcome = await requestSignOut(needs, parameters, session, knowsSession, (holder) =>
		signedInAs(holder, request),
	);
	if ("refused" in outcome) return refusal(outcome.refused);
	if ("pendingId" in outcome) return goTo(`${needs.publicUrl}/sign-out?request=${outcome.pendingId}`);
	const { redirectTo, uiLocales } = outcome;
	const cleared = session === undefined ? {} : { "set-cookie": [CLEARED_SESSION] };
	return goTo(redirectTo ?? signedOut(needs, uiLocales), cleared);
}

function signedOut({ publicUrl }: Needed, uiLocales: readonly string[]): string {
	const query = uiLocales.length === 0 ? "" : `?${new URLSearchParams({ ui_locales: uiLocales.join(" ") })}`;
	return `${publicUrl}/signed-out${query}`;
}

/** The session of the browser. Accepts a replaced refresh token too, because sign-out only revokes the session. */
async function sessionOf(needs: Needed, request: Incoming): Promise<Session | undefined> {
	const token = cookieValue(request, SESSION_COOKIE);
	const session = token === undefined ? undefined : await findSessionOf(needs, token);
	if (session?.appId !== null || session.refreshExpiresAtMs <= needs.clock()) return undefined;
	request.userId = session.userId;
	request.tenantId = session.tenantId;
	return session;
}

function parametersOf(request: Incoming): SignOutParameters | { readonly refused: string } {
	const read = request.method === "POST" ? formOf(request) : { sent: new URLSearchParams(request.queryText) };
	if ("refused" in read) return read;
	const { sent } = read;
	const repeated = SIGN_OUT_PARAMETERS.find((name) => sent.getAll(name).length > 1);
	if (repeated !== undefined) return { refused: `the ${repeated} must be sent once` };
	// An empty value counts as absent (RFC 6749, section 3.1).
	return Object.fromEntries(SIGN_OUT_PARAMETERS.map((name) => [name, sent.get(name) || undefined]));
}
