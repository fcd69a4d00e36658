// Authenticates the person or program behind an access token for an application.

import type { ApiTokenClaims } from "../../../crypto/api-token.ts";
import { judgeAccess } from "../../../domain/access.ts";
import type { AskedGate } from "../../../domain/gate.ts";
import type { ProvedCaller } from "../../../domain/gate-decision.ts";
import type { TokenHolders } from "../../../domain/token-holder.ts";
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
	const { claims, ...holders } = await verifyApiToken(
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
	if (claims.grant_id !== undefined) return await provePerson(needs, applicationId, gate, claims, holders);
	const { holder } = holders;
	const id = holder.applicationId;
	return {
		kind: "program",
		id,
		name: holder.application.name,
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
	{ holder, front }: TokenHolders,
): Promise<ProvedCaller> {
	const { db, clock } = needs;
	const { oauthGrants, accessFacts, sessions } = db.stores;
	const { applicationId: through } = holder;
	const others = new Set([through, front.applicationId]);
	others.delete(applicationId);
	const { sub: userId, grant_id: grantId = "", amr = [] } = claims;
	const hasSecondFactor = amr.includes("mfa");
	// At once: one turn of the event loop batches the reads.
	const [grant, facts, isFactorRequired, ...factsOfClients] = await Promise.all([
		oauthGrants.findLive(grantId, clock()),
		accessFacts.load(tenantId, userId, applicationId),
		needsFactor(needs, tenantId, applicationId, hasSecondFactor),
		...[...others].map((clientId) => accessFacts.load(tenantId, userId, clientId)),
	]);
	if (grant?.userId !== userId || grant.clientId !== front.applicationId) throw invalidToken();
	const session = await sessions.findSignedIn(grant.sessionId, clock());
	if (session?.tenantId !== tenantId) throw invalidToken();
	const factsToEnter = others.size === 0 ? [facts] : factsOfClients;
	if (!factsToEnter.every((entered) => judgeAccess(entered) === "ok")) throw invalidToken();
	return {
		kind: "person",
		id: userId,
		name: session.user.displayName || session.user.username,
		through,
		...(claims.act !== undefined && { chain: [through, front.applicationId] }),
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
