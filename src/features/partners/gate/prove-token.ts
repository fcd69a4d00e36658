// Authenticates the person or program behind an access token for an application.

import type { ApiTokenClaims } from "../../../crypto/api-token.ts";
import { tokenDigest } from "../../../crypto/digest.ts";
import { verifyPossession } from "../../../crypto/possession-proof.ts";
import { judgeAccess } from "../../../domain/access.ts";
import type { AskedGate } from "../../../domain/gate.ts";
import type { ProvedCaller } from "../../../domain/gate-decision.ts";
import { DPOP_NONCE_OWNER, SIGNATURE_WINDOW_SECONDS } from "../../../domain/nonce.ts";
import { mayUseTokens, type PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import { tokenHolder } from "../../../domain/oauth-record.ts";
import { isInUse } from "../../../domain/program.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import type { AskedCall } from "./asked-call.ts";
import { needsFactor, type PersonNeeds } from "./prove-session.ts";

export type TokenNeeds = Needs<
	"nonces" | "oauthClients" | "oauthGrants" | "programs" | "sessions",
	"clock" | "readApiToken"
> &
	PersonNeeds;

export interface PresentedToken {
	readonly scheme: "bearer" | "dpop";
	readonly token: string;
}

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
	{ scheme, token }: PresentedToken,
): Promise<ProvedCaller> {
	const claims = gate.resource === null ? undefined : await needs.readApiToken(token);
	if (claims?.aud !== gate.resource || claims.tenant_id !== gate.tenantId) throw invalidToken();
	const { oauthClients, oauthGrants } = needs.db.stores;
	const client = await oauthClients.findPresented(await tokenHolder(oauthGrants, claims, needs.clock()));
	if (client?.tenantId !== gate.tenantId || !mayUseTokens(client, claims)) throw invalidToken();
	if (client.application.kind === "program") await requireInUse(needs, client);
	if ((claims.cnf !== undefined) !== (scheme === "dpop")) throw invalidToken();
	if (claims.cnf !== undefined) await requirePossession(needs, call, token, claims, claims.cnf.jkt);
	const { accessFacts } = needs.db.stores;
	if (claims.grant_id !== undefined) return await provePerson(needs, applicationId, gate, claims, client);
	const id = client.applicationId;
	return {
		kind: "program",
		id,
		name: client.application.name,
		facts: await accessFacts.loadOfCaller(gate.tenantId, { kind: "program", id }, applicationId),
		scopes: claims.scope?.split(" "),
		hasSecondFactor: false,
	};
}

/** Suspending a program ends its tokens at once. @throws AppError `token.invalid` */
async function requireInUse(
	{ db, clock }: TokenNeeds,
	{ tenantId, applicationId }: PresentedOAuthClient,
): Promise<void> {
	const program = await db.stores.programs.find(tenantId, applicationId);
	if (program === undefined || !isInUse(program, clock())) throw invalidToken();
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

/** RFC 9449, section 4.3. A proof is used once, durably. @throws AppError `token.invalid` */
async function requirePossession(
	{ db, clock }: TokenNeeds,
	call: AskedCall,
	accessToken: string,
	{ aud, client_id: clientId }: ApiTokenClaims,
	thumbprint: string,
): Promise<void> {
	const [proof, ...others] = call.headerValues("dpop");
	const nowMs = clock();
	const url = urlOf(aud, call.target);
	if (proof === undefined || others.length > 0 || url === undefined) throw invalidToken();
	const expected = { method: call.method, url, accessToken, thumbprint, nowMs };
	const proved = await verifyPossession(proof, expected);
	if (proved === undefined) throw invalidToken();
	const { jti, issuedAtSeconds } = proved;
	if (Math.abs(nowMs / SECOND_MS - issuedAtSeconds) > SIGNATURE_WINDOW_SECONDS) throw invalidToken();
	const nonce = tokenDigest(`${clientId} ${jti}`);
	if (!(await db.stores.nonces.claim(DPOP_NONCE_OWNER, nonce, issuedAtSeconds))) throw invalidToken();
}

/** The origin of the resource and the path of the target. */
function urlOf(resource: string, target: string): string | undefined {
	const { origin } = URL.canParse(resource) ? new URL(resource) : { origin: "null" };
	const [path = ""] = target.split("?", 1);
	return origin === "null" ? undefined : new URL(`${origin}${path}`).href;
}

export function invalidToken(): AppError {
	return new AppError("token.invalid", "access token is invalid, expired, or for another API");
}
