// Stores the grants of the library: each belongs to a session, a user and a consent.

import type { Payload } from "oidc-provider";
import type { PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { GrantPayload, OAuthGrant } from "../../domain/oauth-record.ts";
import type { Session } from "../../domain/session.ts";
import type { Stores } from "../../domain/stores.ts";
import { SECOND_MS } from "../../kernel/clock.ts";

interface NewGrant {
	readonly id: string;
	readonly session: Session;
	readonly client: PresentedOAuthClient;
	/** Granted scopes, in the form of the library. */
	readonly granted: GrantPayload;
	readonly nowMs: number;
	readonly seconds: number;
}

/** Inside a transaction, which a refusal must roll back. @returns why there is no grant. */
export async function insertGrant(
	{ sessions, oauthConsents, oauthGrants }: Stores<"sessions" | "oauthConsents" | "oauthGrants">,
	{ id, session, client, granted, nowMs, seconds }: NewGrant,
): Promise<"the session has ended" | "the consent was withdrawn" | undefined> {
	if (!(await sessions.hold(session.tenantId, session.userId, session.id))) return "the session has ended";
	// Lock the consent: a concurrent withdrawal would miss this grant.
	if (!client.firstParty && !(await oauthConsents.hold(session.userId, client.applicationId)))
		return "the consent was withdrawn";
	await oauthGrants.insert({
		id,
		tenantId: session.tenantId,
		clientId: client.applicationId,
		userId: session.userId,
		sessionId: session.id,
		payload: granted,
		createdAtMs: nowMs,
		expiresAtMs: nowMs + seconds * SECOND_MS,
	});
	return undefined;
}

export function grantPayload({
	id,
	clientId,
	userId,
	payload,
	createdAtMs,
	expiresAtMs,
}: OAuthGrant): Payload {
	const [iat, exp] = [createdAtMs, expiresAtMs].map((ms) => Math.floor(ms / SECOND_MS));
	// The library changes its copy.
	return { ...structuredClone(payload), jti: id, kind: "Grant", clientId, accountId: userId, iat, exp };
}
