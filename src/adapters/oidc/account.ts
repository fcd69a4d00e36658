// The account of a session, a code or a token, in the form that the library expects.

import type { Context, Payload, Token } from "oidc-provider";
import type { ProviderParts } from "./parts.ts";
import { checkRefreshTarget } from "./resources.ts";

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
	const user = await rules.findUser({ tenantId: client.tenantId, userId, amr: token.amr }, client);
	// A reused token revokes its grant, even if its request would be refused.
	const isRefresh = token.kind === "RefreshToken" && token.consumed === undefined;
	if (user !== undefined && isRefresh) await checkRefreshTarget(parts, context, token);
	return (
		user && {
			accountId: userId,
			claims: async (_use, scope) => ({ ...(await rules.claimsOf(user, client, scope.split(" "))) }),
		}
	);
}
