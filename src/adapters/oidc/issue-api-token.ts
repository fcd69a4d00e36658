// Issues the access tokens of grant types that the library does not have.

import type Provider from "oidc-provider";
import type { Context, Issued } from "oidc-provider";
import { applyDpopBinding } from "oidc-provider/lib/helpers/grant_common.js";

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
