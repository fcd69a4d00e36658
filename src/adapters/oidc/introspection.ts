// Token introspection (RFC 7662) by the library: for clients that authenticate with a key, and for every refused request.

import type { BareContext, Client, Context, Middleware, Token } from "oidc-provider";
import { isMembers } from "../../kernel/shape.ts";
import { describeSigned, INACTIVE, isOwned, withoutMarker } from "./describe-token.ts";
import { theCall } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";

/** The library's error for a signed token, returned to authenticated clients only. */
export const UNSUPPORTED = "unsupported_token_type";

/** A client may introspect its own stored tokens while the user may use the application. */
export async function mayIntrospect(parts: ProviderParts, caller: Client, token: Token): Promise<boolean> {
	if (!isAuthenticated(caller) || token.clientId !== caller.clientId) return false;
	const client = await parts.db.stores.oauthClients.findPresented(caller.clientId);
	return client !== undefined && (await isOwned(parts, token, theCall().grant, client));
}

/** The library refuses to introspect signed tokens; this replaces its refusal with a response. */
export function introspectSigned(parts: ProviderParts): Middleware {
	return async (context, next) => {
		await next();
		completeScope(context);
		if (!isSignedToken(context)) return;
		const { client, params } = context.oidc;
		theCall().withdrawRefusal();
		context.status = 200;
		context.type = "json";
		const isKnown = client !== undefined && isAuthenticated(client);
		const caller = isKnown ? { applicationId: client.clientId } : undefined;
		context.body = (caller && (await describeSigned(parts, caller, String(params.token)))) ?? INACTIVE;
	};
}

function completeScope(context: BareContext): void {
	const { oidc, body } = context;
	if (oidc?.route !== "introspection" || !isMembers(body) || typeof body.scope !== "string") return;
	context.body = { ...body, scope: withoutMarker(body.scope) };
}

function isSignedToken(context: BareContext): context is Context {
	const { oidc, body } = context;
	return oidc?.route === "introspection" && isMembers(body) && body.error === UNSUPPORTED;
}

/** A public client only names itself. */
function isAuthenticated({ clientAuthMethod }: Client): boolean {
	return clientAuthMethod !== "none";
}
