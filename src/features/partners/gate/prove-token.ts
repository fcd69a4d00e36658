// Authenticates the person or program behind an access token for an application.

import type { ApiTokenClaims } from "../../../crypto/api-token.ts";
import { judgeAccess } from "../../../domain/access.ts";
import type { AskedGate } from "../../../domain/gate.ts";
import type { ProvedCaller } from "../../../domain/gate-decision.ts";
import type { PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import type { Needs } from "../../platform.ts";
import {
	type ApiTokenNeeds,
	invalidToken,
	type PresentedToken,
	verifyApiToken,
} from "../steps/verify-api-token.ts";
import type { AskedCall } from "./asked-call.ts";
import { needsFactor, type PersonNeeds } from "./prove-session.ts";

export type TokenNeeds = ApiTokenNeeds & Needs<"sessions", "clock"> & PersonNeeds;

/**
 * The token must be for the resource of the application and its tenant. Client, grant, and user are read, so that a token
 * ends with them.
 *
 * @throws AppError `token.invalid`
 */
export async function proveToken(
	needs: TokenNeeds,
	applicationId: string,
	gate: AskedGate,
	call: AskedCall,
	presented: PresentedToken,
): Promise<ProvedCaller> {
	const { resource, tenantId } = gate;
	if (resource === null) throw invalidToken();
	const { claims, client } = await verifyApiToken(
		needs,
		{
			method: call.method,
			url: urlOf(resource, call.target),
			headerValues: (name) => call.headerValues(name),
		},
		presented,
		({ aud, tenant_id }) => aud === resource && tenant_id === tenantId,
	);
	const { accessFacts } = needs.db.stores;
	if (claims.grant_id !== undefined) return await provePerson(needs, applicationId, gate, claims, client);
	const id = client.applicationId;
	return {
		kind: "program",
		id,
		name: client.application.name,
		facts: await accessFacts.loadOfCaller(tenantId, { kind: "program", id }, applicationId),
		scopes: claims.scope?.split(" "),
		hasSecondFactor: false,
	};
}

/** A person's token without a scope has none of their permissions: they consented to nothing else. */
async function provePerson(
	needs: TokenNeeds,
	applicationId: string,
	{ tenantId }: AskedGate,
	claims: ApiTokenClaims,
	client: PresentedOAuthClient,
): Promise<ProvedCaller> {
	const { db, clock } = needs;
	const { oauthGrants, accessFacts, sessions } = db.stores;
	const { applicationId: through } = client;
	const { sub: userId, grant_id: grantId = "", amr = [] } = claims;
	const hasSecondFactor = amr.includes("mfa");
	// At once: one turn of the event loop batches the reads.
	const [grant, facts, factsOfClient, isFactorRequired] = await Promise.all([
		oauthGrants.findLive(grantId, clock()),
		accessFacts.load(tenantId, userId, applicationId),
		through === applicationId ? undefined : accessFacts.load(tenantId, userId, through),
		needsFactor(needs, tenantId, applicationId, hasSecondFactor),
	]);
	if (grant?.userId !== userId || grant.clientId !== through) throw invalidToken();
	const holder = await sessions.findSignedIn(grant.sessionId, clock());
	if (holder?.tenantId !== tenantId || judgeAccess(factsOfClient ?? facts) !== "ok") throw invalidToken();
	return {
		kind: "person",
		id: userId,
		name: holder.user.displayName || holder.user.username,
		through,
		facts,
		scopes: claims.scope?.split(" ") ?? [],
		hasSecondFactor,
		isFactorRequired,
	};
}

/** The origin of the resource and the path of the target. */
function urlOf(resource: string, target: string): string | undefined {
	const { origin } = URL.canParse(resource) ? new URL(resource) : { origin: "null" };
	const [path = ""] = target.split("?", 1);
	return origin === "null" ? undefined : new URL(`${origin}${path}`).href;
}
