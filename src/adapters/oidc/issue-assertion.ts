// An identity assertion (ID-JAG) for another authorization server, in exchange for an ID token (RFC 8693).

import { SignJWT } from "jose";
import Provider, { type Context, errors } from "oidc-provider";
import { ASSERTION_SECONDS, ASSERTION_TYPE } from "../../domain/assertion.ts";
import { RESOURCE_MAX } from "../../domain/oauth-client.ts";
import { MULTI_FACTOR_ACR } from "../../domain/openid-provider.ts";
import type { Session } from "../../domain/session.ts";
import { isPlaceholderAddress, type User } from "../../domain/user.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { theCall } from "./library-call.ts";
import type { LibraryParts, PrivateKeyJwk } from "./parts.ts";
import { readIdToken } from "./read-id-token.ts";
import { scopeOf, scopesIn } from "./scopes.ts";
import { importOnce } from "./signed-token.ts";
import { notForThisClient } from "./targets.ts";

export const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
const SCOPE_MAX = 2_048;
/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e ]*$/;

/**
 * What the assertion is worth is decided by the other server: neither scope nor resource is known here.
 *
 * @throws InvalidRequest, InvalidTarget, InvalidGrant, InvalidScope
 */
export async function issueAssertion(
	provider: Provider,
	parts: LibraryParts,
	keys: readonly PrivateKeyJwk[],
	context: Context,
): Promise<void> {
	const { params, client: { clientId = "" } = {} } = context.oidc;
	if (params.subject_token_type !== ID_TOKEN)
		throw new errors.InvalidRequest(`subject_token_type must be ${ID_TOKEN} for ${ID_JAG}`);
	const client = await parts.db.stores.oauthClients.findPresented(clientId);
	const place = client?.assertionAudiences.find(({ issuer }) => issuer === params.audience);
	if (client === undefined || place === undefined)
		throw new errors.InvalidTarget("this client gets no assertions for this audience");
	const resource = resourceOf(params.resource);
	const scopes = requestedScopes(params.scope);
	const { session, user } = await findSignIn(provider, parts, keys, context);
	const signIn = { sessionId: session.id, userId: user.id };
	if ((await parts.rules.findUserOfGrant(signIn, [client], session.amr)) === undefined)
		throw new errors.InvalidGrant("the user lost access to the client");
	const { issuer: audience, clientId: clientIdThere } = place;
	await parts.rules.recordAssertion(
		{ client, user, audience, clientIdThere, resource, scopes },
		theCall().origin,
	);
	const scope = scopeOf(scopes);
	const assertion = await sign(parts, keys, {
		sub: user.id,
		aud: audience,
		client_id: clientIdThere,
		resource,
		scope,
		...signInClaims(session),
		...addressClaims(user),
	});
	context.body = {
		access_token: assertion,
		issued_token_type: ID_JAG,
		token_type: "N_A",
		expires_in: ASSERTION_SECONDS,
		scope,
	};
}

/**
 * The live session behind an ID token of this client.
 *
 * @throws InvalidGrant for every reason.
 */
async function findSignIn(
	provider: Provider,
	{ db, clock }: LibraryParts,
	keys: readonly PrivateKeyJwk[],
	{ oidc: { client, params } }: Context,
): Promise<{ readonly session: Session; readonly user: User }> {
	const hint = await readIdToken(provider, keys, params.subject_token ?? "");
	const { program } = theCall();
	const isOwn =
		hint?.clientId === client?.clientId ||
		(program?.applicationId === client?.clientId && hint?.clientId === program?.url);
	if (hint?.proved === undefined || !isOwn || hint.proved.expiresAtMs <= clock())
		throw new errors.InvalidGrant("subject_token is no valid ID token of this client");
	const { userId, sessionId } = hint.proved;
	const [holder, session] = await Promise.all([
		db.stores.sessions.findSignedIn(sessionId, clock()),
		db.stores.sessions.findById(sessionId),
	]);
	if (holder?.user.id !== userId || session === undefined)
		throw new errors.InvalidGrant("the session of subject_token has ended");
	return { session, user: holder.user };
}

/** @throws InvalidTarget */
function resourceOf(resource: string | readonly string[] | undefined): string | undefined {
	if (resource === undefined) return undefined;
	// RFC 8707, section 2: an absolute URI without a fragment.
	const isUri = typeof resource === "string" && resource.length <= RESOURCE_MAX && URL.canParse(resource);
	if (!isUri || resource.includes("#")) throw notForThisClient();
	return resource;
}

/** @throws InvalidScope */
function requestedScopes(scope = ""): readonly string[] {
	if (scope.length > SCOPE_MAX || !SCOPE.test(scope))
		throw new errors.InvalidScope(`scope must be names of at most ${SCOPE_MAX} characters`, "");
	return scopesIn(scope);
}

function signInClaims({ authenticatedAtMs, amr }: Session) {
	return {
		auth_time: Math.floor(authenticatedAtMs / SECOND_MS),
		acr: amr.includes("mfa") ? MULTI_FACTOR_ACR : undefined,
		amr,
	};
}

/** Only a verified address: the other server may join its user by it. */
function addressClaims({ email, emailVerified }: User) {
	return emailVerified && !isPlaceholderAddress(email) ? { email, email_verified: true } : {};
}

/** Signing keys come first. */
async function sign(
	{ issuer, clock, randomToken }: LibraryParts,
	keys: readonly PrivateKeyJwk[],
	claims: Readonly<Record<string, unknown>>,
): Promise<string> {
	const key = keys.find(({ alg }) => alg === "ES256");
	if (key === undefined) throw new Error("there is no key for ES256");
	const now = Math.floor(clock() / SECOND_MS);
	return await new SignJWT(JSON.parse(JSON.stringify(claims)))
		.setProtectedHeader({ alg: key.alg, typ: ASSERTION_TYPE, kid: key.kid })
		.setIssuer(issuer)
		.setJti(randomToken())
		.setIssuedAt(now)
		.setExpirationTime(now + ASSERTION_SECONDS)
		.sign(await importOnce(key, key.alg));
}
