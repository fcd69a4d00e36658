// Grant types that the library does not have: counts their requests, and issues their access tokens.

import Provider, { type Context, errors, type Issued } from "oidc-provider";
import { applyDpopBinding } from "oidc-provider/lib/helpers/grant_common.js";
import validateDpop from "oidc-provider/lib/helpers/validate_dpop.js";
import type { LibraryParts } from "./parts.ts";

interface NewToken {
	/** The sign-in that the token continues. */
	readonly source: Issued;
	readonly grantType: string;
	readonly resource: string;
	/** Separated by spaces; `""` for none. */
	readonly scope: string;
	readonly seconds: number;
	/** The verified DPoP proof, if any. */
	readonly proof: object | undefined;
}

/**
 * The verified DPoP proof, if any. Call it before anything is used up.
 *
 * @throws InvalidDpopProof, and InvalidGrant if the profile of the client needs one.
 */
export async function findProof(provider: Provider, context: Context): Promise<object | undefined> {
	const proof = await validateDpop(provider, context);
	if (proof === undefined && context.oidc.client?.client_profile === "fapi2")
		throw new errors.InvalidGrant("DPoP proof JWT not provided");
	return proof;
}

/** @throws InvalidDpopProof */
export async function issueApiToken(
	provider: Provider,
	context: Context,
	{ source, grantType, resource, scope, seconds, proof }: NewToken,
): Promise<{ readonly value: string; readonly tokenType: string }> {
	const { accountId, grantId } = source;
	const token = new provider.AccessToken({
		accountId,
		client: context.oidc.client,
		grantId,
		gty: grantType,
		expiresIn: seconds,
	});
	token.resourceServer = new provider.ResourceServer(resource, {
		scope,
		accessTokenFormat: "jwt",
		accessTokenTTL: seconds,
		jwt: { sign: { alg: "ES256" } },
	});
	token.scope = scope === "" ? undefined : scope;
	await applyDpopBinding(provider, context, proof, token);
	return { value: await token.save(), tokenType: token.tokenType };
}

/** Requests of authenticated clients, by the error of the response: the library names few. */
export async function counted(
	{ statistics }: LibraryParts,
	measure: "assertion_issue" | "assertion_redemption" | "token_exchange",
	run: () => Promise<void>,
): Promise<void> {
	try {
		await run();
		statistics.count(undefined, measure);
	} catch (error) {
		if (error instanceof errors.OIDCProviderError)
			statistics.count(undefined, `${measure}_refused`, error.error);
		throw error;
	}
}
