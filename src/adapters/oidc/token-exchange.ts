// Token exchange (RFC 8693): an API that a person called gets a token to act for that person at another API.

import Provider, { type Context, errors, type Issued } from "oidc-provider";
import { mayActForPeople, type PresentedOAuthClient } from "../../domain/oauth-client.ts";
import { findTokenHolders } from "../../domain/token-holder.ts";
import { EXCHANGE_GRANT } from "./client-metadata.ts";
import { exchangedScope } from "./granted-scope.ts";
import { counted, findProof, issueApiToken } from "./issue-api-token.ts";
import { ID_JAG, issueAssertion } from "./issue-assertion.ts";
import { theCall } from "./library-call.ts";
import type { LibraryParts, PrivateKeyJwk } from "./parts.ts";
import { scopesOfPerson } from "./resource-scopes.ts";
import { getTarget, notForThisClient, type Target } from "./targets.ts";

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const PARAMETERS = [
	"subject_token",
	"subject_token_type",
	"actor_token",
	"actor_token_type",
	"requested_token_type",
	"audience",
	"resource",
	"scope",
];
/** Shorter than other access tokens: the client can exchange the subject token again while it lives. */
const TTL_SECONDS = 300;

/** Adds the grant type to the library. */
export function exchangeTokens(
	provider: Provider,
	parts: LibraryParts,
	keys: readonly PrivateKeyJwk[],
): void {
	const handle = (context: Context) => {
		const isAssertion = context.oidc.params.requested_token_type === ID_JAG;
		return counted(parts, isAssertion ? "assertion_issue" : "token_exchange", async () => {
			checkParameters(context);
			await (isAssertion
				? issueAssertion(provider, parts, keys, context)
				: exchange(provider, parts, context));
		});
	};
	provider.registerGrantType(EXCHANGE_GRANT, handle, PARAMETERS);
}

/**
 * The new token never has more than the person has at the API now, ends with the sign-in of the subject token, and names
 * the client in `act`.
 *
 * @throws InvalidRequest, InvalidTarget, InvalidGrant, InvalidScope, InvalidDpopProof
 */
async function exchange(provider: Provider, parts: LibraryParts, context: Context): Promise<void> {
	const { params } = context.oidc;
	if (params.subject_token_type !== ACCESS_TOKEN)
		throw new errors.InvalidRequest(`subject_token_type must be ${ACCESS_TOKEN}`);
	const proof = await findProof(provider, context);
	const { resource } = params;
	const target = await findTarget(parts, context, resource);
	const subject = await findSubject(parts, target.client, params.subject_token ?? "");
	const scope = exchangedScope(await scopesOfPerson(parts, target, subject), params.scope);
	theCall().exchange(subject);
	const { accountId, grantId } = subject;
	const { value, tokenType } = await issueApiToken(provider, context, {
		source: subject,
		grantType: EXCHANGE_GRANT,
		resource: String(resource),
		scope,
		seconds: TTL_SECONDS,
		proof,
	});
	const { tenantId, applicationId: actorId } = target.client;
	const apiId = target.api.applicationId;
	parts.actors.note({ tenantId, userId: accountId, grantId, actorId, apiId, lastUsedAtMs: parts.clock() });
	context.body = {
		access_token: value,
		issued_token_type: ACCESS_TOKEN,
		token_type: tokenType,
		expires_in: TTL_SECONDS,
		scope,
	};
}

/** What holds for every exchange. @throws InvalidClientAuth, InvalidRequest */
function checkParameters({ oidc: { client, params } }: Context): void {
	if (client === undefined || client.clientAuthMethod === "none")
		throw new errors.InvalidClientAuth("a client without a secret or a key cannot exchange tokens");
	if (params.subject_token === undefined) throw new errors.InvalidRequest("subject_token is required");
	if (params.actor_token !== undefined || params.actor_token_type !== undefined)
		throw new errors.InvalidRequest("actor_token is not accepted: the authenticated client is the actor");
	if (![undefined, ACCESS_TOKEN, ID_JAG].includes(params.requested_token_type))
		throw new errors.InvalidRequest(`requested_token_type must be ${ACCESS_TOKEN} or ${ID_JAG}`);
}

/** @throws InvalidTarget */
async function findTarget(
	parts: LibraryParts,
	context: Context,
	resource: string | readonly string[] | undefined,
): Promise<Target> {
	if (typeof resource !== "string") throw new errors.InvalidTarget("resource is required, once");
	const target = await getTarget(parts, context, resource);
	if (!mayActForPeople(target.client, resource)) throw notForThisClient();
	return target;
}

type Subject = Issued & { readonly accountId: string; readonly grantId: string };

/**
 * The sign-in of the person who called the client: only a token that was sent to this very API may be exchanged, or any
 * API could act for everyone who calls it at others.
 *
 * @throws InvalidGrant with one message for every reason; InvalidRequest for a token that was exchanged before.
 */
async function findSubject(
	{ db, clock, readApiToken, rules }: LibraryParts,
	actor: PresentedOAuthClient,
	token: string,
): Promise<Subject> {
	const claims = await readApiToken(token);
	const isForActor =
		claims !== undefined && claims.aud === actor.resource && claims.tenant_id === actor.tenantId;
	if (!isForActor || claims.grant_id === undefined) throw invalidSubject();
	if (claims.act !== undefined)
		throw new errors.InvalidRequest(
			"subject_token was exchanged before: only one client may act for a person",
		);
	const { sub: userId, grant_id: grantId, auth_time: authTime, acr, amr } = claims;
	const { stores } = db;
	const [holders, grant] = await Promise.all([
		findTokenHolders(stores, claims, clock()),
		stores.oauthGrants.findLive(grantId, clock()),
	]);
	if (grant?.userId !== userId || grant.clientId !== holders?.front.applicationId) throw invalidSubject();
	const user = await rules.findUserOfGrant(grant, [holders.front, actor], amr);
	if (user === undefined) throw invalidSubject();
	return { accountId: userId, grantId, authTime, acr, amr, ...ABSENT };
}

const ABSENT = { clientId: undefined, resource: undefined, scope: undefined };

function invalidSubject(): Error {
	return new errors.InvalidGrant(
		"subject_token must be a valid access token of a person for the resource of this client",
	);
}
