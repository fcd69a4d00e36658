// Authenticates the person or program behind an access token for an application.

import type { ApiTokenClaims } from "../../../crypto/api-token.ts";
import { judgeAccess } from "../../../domain/access.ts";
import type { AskedGate } from "../../../domain/gate.ts";
import type { ProvedCaller } from "../../../domain/gate-decision.ts";
import { isSupportToken, supporterRef } from "../../../domain/support-session.ts";
import type { TokenHolders } from "../../../domain/token-holder.ts";
import type { Needs } from "../../platform.ts";
import {
	type ApiTokenNeeds,
	invalidToken,
	type PresentedToken,
	readToken,
	verifyApiToken,
} from "../steps/verify-api-token.ts";
import type { AskedCall } from "./asked-call.ts";
import { findSupporterAt, needsFactor, type PersonNeeds, type SupportNeeds } from "./prove-session.ts";

export type TokenNeeds = ApiTokenNeeds & Needs<"sessions", "clock"> & PersonNeeds & SupportNeeds;

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
	const claims = await readToken(
		needs,
		presented,
		({ aud, tenant_id }) => aud === resource && tenant_id === tenantId,
	);
	if (isSupportToken(claims)) return await proveSupported(needs, applicationId, gate, presented, claims);
	const { method, target } = call;
	const asked = {
		method,
		url: urlOf(resource, target),
		headerValues: (name: string) => call.headerValues(name),
	};
	const holders = await verifyApiToken(needs, asked, presented, claims);
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

/** The token of a supporter: limited by what the person may do now, and by the read-only rule. */
async function proveSupported(
	needs: TokenNeeds,
	applicationId: string,
	{ tenantId }: AskedGate,
	{ scheme }: PresentedToken,
	{
		act,
		amr = [],
		sid,
		sub: userId,
	}: ApiTokenClaims & { readonly sid: string; readonly act: { readonly sub: string } },
): Promise<ProvedCaller> {
	const { accessFacts, sessions } = needs.db.stores;
	const hasSecondFactor = amr.includes("mfa");
	const [holder, facts, isFactorRequired] = await Promise.all([
		sessions.findSignedIn(sid, needs.clock()),
		accessFacts.load(tenantId, userId, applicationId),
		needsFactor(needs, tenantId, applicationId, hasSecondFactor),
	]);
	if (scheme !== "bearer" || holder?.tenantId !== tenantId || holder.user.id !== userId) throw invalidToken();
	const supporter = await findSupporterAt(needs, applicationId, sid, holder.user);
	if (supporter === undefined || supporterRef(supporter) !== act.sub) throw invalidToken();
	const name = holder.user.displayName || holder.user.username;
	return { kind: "person", id: userId, name, supporter: act.sub, facts, hasSecondFactor, isFactorRequired };
}

/** The origin of the resource and the path of the target. */
function urlOf(resource: string, target: string): string | undefined {
	const { origin } = URL.canParse(resource) ? new URL(resource) : { origin: "null" };
	const [path = ""] = target.split("?", 1);
	return origin === "null" ? undefined : new URL(`${origin}${path}`).href;
}
