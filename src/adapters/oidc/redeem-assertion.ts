// A token for an identity assertion of another authorization server (RFC 7523, section 2.1).

import Provider, { type Context, errors } from "oidc-provider";
import type { PresentedOAuthClient } from "../../domain/oauth-client.ts";
import { MULTI_FACTOR_ACR } from "../../domain/openid-provider.ts";
import { ACCESS_TOKEN_SECONDS } from "../../domain/session.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { JWT_BEARER_GRANT } from "./client-metadata.ts";
import { assertedScope } from "./granted-scope.ts";
import { counted, findProof, issueApiToken } from "./issue-api-token.ts";
import { theCall } from "./library-call.ts";
import type { LibraryParts } from "./parts.ts";
import type { Records } from "./records.ts";
import { scopesOfPerson } from "./resource-scopes.ts";
import { getTarget } from "./targets.ts";
import { isSinceRestore } from "./used-proofs.ts";
import { type VerifiedAssertion, verifyAssertion } from "./verify-assertion.ts";

const PARAMETERS = ["assertion", "resource", "scope"];
/** Nodes delete used assertions by their own clocks. */
const KEPT_SECONDS = 60;

/** Adds the grant type to the library. */
export function redeemAssertions(provider: Provider, parts: LibraryParts, records: Records): void {
	const handle = (context: Context) =>
		counted(parts, "assertion_redemption", () => redeem(provider, parts, records, context));
	provider.registerGrantType(JWT_BEARER_GRANT, handle, PARAMETERS);
}

/**
 * There is no refresh token: the client gets another assertion, which its issuer can refuse.
 *
 * @throws InvalidRequest, InvalidGrant, InvalidTarget, InvalidScope, InvalidDpopProof
 */
async function redeem(
	provider: Provider,
	parts: LibraryParts,
	records: Records,
	context: Context,
): Promise<void> {
	const { params } = context.oidc;
	const call = theCall();
	if (params.assertion === undefined) throw new errors.InvalidRequest("assertion is required");
	const proof = await findProof(provider, context);
	const asserted = await findAssertion(parts, context, params.assertion);
	const { issuer, amr, authTime } = asserted;
	const resource = resourceOf(asserted, params.resource);
	const { client, ...target } = await getTarget(parts, context, resource);
	const found = await parts.rules.findAsserted(issuer, asserted);
	if (found === undefined) throw new errors.InvalidGrant("the assertion names no user of the tenant");
	if (!(await parts.rules.mayUse(found.user, client, amr)))
		throw new errors.InvalidGrant(
			"the user is disabled, has no access to the client, or lacks a second factor",
		);
	const grantId = parts.randomToken();
	const source = {
		accountId: found.user.id,
		grantId,
		amr,
		acr: amr.includes("mfa") ? MULTI_FACTOR_ACR : undefined,
		authTime,
		...ABSENT,
	};
	const held = await scopesOfPerson(parts, { client, ...target }, source);
	const scope = assertedScope(asserted.scope, params.scope, held);
	const seconds = asserted.expiresAtSeconds + KEPT_SECONDS - Math.floor(parts.clock() / SECOND_MS);
	const use = records.rowOf("ReplayDetection", `assertion ${issuer.id} ${asserted.id}`, {}, seconds);
	const redeemed = await parts.rules.redeemAssertion(
		{ issuer, client, ...found, asserted, use, grantId },
		call.origin,
	);
	if (redeemed === "used") throw new errors.InvalidGrant("the assertion was used before");
	if (redeemed === "ended") throw new errors.InvalidGrant("the user or the issuer was disabled or changed");
	const continued = { ...source, grantId: redeemed.grantId };
	call.assert(continued);
	const { value, tokenType } = await issueApiToken(provider, context, {
		source: continued,
		grantType: JWT_BEARER_GRANT,
		resource,
		scope,
		seconds: ACCESS_TOKEN_SECONDS,
		proof,
	});
	const { tenantId, applicationId: appId } = client;
	const subject = { kind: "user", id: found.user.id } as const;
	parts.signIns.note({ tenantId, appId, subject, atMs: parts.clock() });
	context.body = {
		access_token: value,
		token_type: tokenType,
		expires_in: ACCESS_TOKEN_SECONDS,
		scope,
	};
}

const ABSENT = { clientId: undefined, resource: undefined, scope: undefined };

/** @throws InvalidGrant */
async function findAssertion(
	parts: LibraryParts,
	{ oidc }: Context,
	assertion: string,
): Promise<VerifiedAssertion> {
	const { db, clock, issuer: audience, findIssuerKey: findKey } = parts;
	const clientId = oidc.client?.clientId ?? "";
	const client = await db.stores.oauthClients.findPresented(clientId);
	if (client === undefined) throw new errors.InvalidGrant("the client was deleted");
	const verified = await verifyAssertion(assertion, {
		audience,
		clientNames: namesOf(client),
		nowMs: clock(),
		findIssuer: async (iss) =>
			(await db.stores.identityProviders.listAsserting(client.tenantId)).find(({ issuer }) => issuer === iss),
		findKey,
	});
	if ("problem" in verified) throw new errors.InvalidGrant(`assertion: ${verified.problem}`);
	if (!(await isSinceRestore(parts, verified.issuedAtSeconds)))
		throw new errors.InvalidGrant("the assertion was issued before a restore");
	return verified;
}

/** A program has its URL there, too. */
function namesOf({ applicationId }: PresentedOAuthClient): readonly string[] {
	const { program } = theCall();
	return program?.applicationId === applicationId ? [applicationId, program.url] : [applicationId];
}

/** @throws InvalidTarget */
function resourceOf({ resources }: VerifiedAssertion, asked: string | readonly string[] | undefined): string {
	const [named, ...others] = asked === undefined ? resources : [asked].flat();
	if (named === undefined || others.length > 0)
		throw new errors.InvalidTarget("resource is required once, in the request or in the assertion");
	if (resources.length > 0 && !resources.includes(named))
		throw new errors.InvalidTarget("the assertion is for another resource");
	return named;
}
