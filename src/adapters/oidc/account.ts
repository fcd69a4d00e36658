// The account of a session, a code or a token, in the form that the library expects.

import type Provider from "oidc-provider";
import type { Context, Middleware, Payload, Token } from "oidc-provider";
import { isMembers } from "../../kernel/shape.ts";
import type { ProviderParts } from "./parts.ts";
import { checkRefreshTarget } from "./resources.ts";

/** Holds the `claims` of the client, which the library does not know by name: it leaves them out. */
const OWN_CLAIMS = "latchkey_claims";

interface Account {
	readonly accountId: string;
	claims(use: string, scope: string): Promise<Payload>;
}

/**
 * @param token a code or token: everything is checked again. Undefined at the authorization endpoint, where the policy
 * checks.
 */
export async function findAccount(
	parts: ProviderParts,
	context: Context,
	userId: string,
	token: Token | undefined,
): Promise<Account | undefined> {
	const { rules } = parts;
	const client = await parts.db.stores.oauthClients.findPresented(context.oidc.client?.clientId ?? "");
	if (client === undefined) return undefined;
	if (token === undefined) return { accountId: userId, claims: () => Promise.resolve({ sub: userId }) };
	const { tenantId } = client;
	const { amr, kind, consumed, grantId } = token;
	const user = await rules.findUser({ tenantId, userId, amr, grantId }, client);
	// A reused token revokes its grant, even if its request would be refused.
	const isRefresh = kind === "RefreshToken" && consumed === undefined;
	if (user !== undefined && isRefresh) await checkRefreshTarget(parts, context, token);
	return (
		user && {
			accountId: userId,
			claims: async (_use, scope) => ({
				...(await rules.claimsOf(user, client, scope.split(" "))),
				[OWN_CLAIMS]: await rules.ownClaimsOf(user, client),
			}),
		}
	);
}

/** Adds the `claims` of the client to ID tokens. */
export function addOwnClaims(provider: Provider): void {
	const { IdToken } = provider;
	const { issue } = IdToken.prototype;
	IdToken.prototype.issue = function (options) {
		const own = this.available[OWN_CLAIMS];
		if (isMembers(own)) for (const [name, value] of Object.entries(own)) this.set(name, value);
		return issue.call(this, options);
	};
}

/** Adds the `claims` of the client to the response of the userinfo endpoint. */
export const completeUserinfo: Middleware = async (context, next) => {
	await next();
	const { oidc, body } = context;
	if (oidc?.route !== "userinfo" || !isMembers(body) || typeof body.sub !== "string") return;
	const claims = await oidc.entities.Account?.claims("userinfo", "openid");
	const own = claims?.[OWN_CLAIMS];
	if (isMembers(own)) context.body = { ...own, ...body };
};
