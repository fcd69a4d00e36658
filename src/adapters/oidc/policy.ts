// Decides whether a user must sign in or consent before an application receives its code.

import { type Context, errors, type Grant, interactionPolicy, type Params } from "oidc-provider";
import type { PresentedOAuthClient } from "../../domain/oauth-client.ts";
import { MULTI_FACTOR_ACR } from "../../domain/openid-provider.ts";
import { browserSession } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";
import { checkAnyHeld } from "./resource-scopes.ts";
import { grantedScopes, requestedIn } from "./scopes.ts";

const { Check, Prompt, base } = interactionPolicy;

/** The prompt at which the user chooses the session's account or another one (OpenID Connect Core, section 3.1.2.1). */
export const SELECT_ACCOUNT = "select_account";

/** Reasons that a valid session with access resolves; all others require a new sign-in. */
export const ANY_SESSION_DOES: readonly string[] = ["no_session", "other_tenant", "no_entry", "one_factor"];

/** One requested value is supported; others are ignored (OpenID Connect Core, section 3.1.2.1). */
export function requestsSecondFactor({ acr_values: values }: Pick<Params, "acr_values">): boolean {
	return values?.split(" ").includes(MULTI_FACTOR_ACR) ?? false;
}

export function createPolicy(parts: ProviderParts) {
	const { rules } = parts;
	const policy = base();
	const login = policy.get("login");
	const consent = policy.get("consent");

	policy.add(new Prompt({ name: SELECT_ACCOUNT, requestable: true }), 0);
	login.checks.add(
		new Check("other_tenant", "the session belongs to another tenant", "login_required", async (context) => {
			const session = browserSession();
			return session !== undefined && session.tenantId !== (await clientOf(parts, context)).tenantId;
		}),
	);
	login.checks.add(
		new Check(
			"no_entry",
			"the account may not use this application now",
			"access_denied",
			async (context) => {
				const session = browserSession();
				if (session === undefined) return false;
				const client = await clientOf(parts, context);
				if (session.tenantId !== client.tenantId) return false;
				return (await rules.findRefusal(session, client, requestedIn(context).resources)) !== undefined;
			},
		),
	);
	login.checks.add(
		new Check("one_factor", "a sign-in with two factors is required", "login_required", ({ oidc }) => {
			const session = browserSession();
			return session !== undefined && requestsSecondFactor(oidc.params) && !session.amr.includes("mfa");
		}),
	);
	// The library does not know of consents to an API of which no scope is requested.
	consent.checks.add(
		new Check("not_consented", "the user has not consented to this", "consent_required", async (context) => {
			const session = browserSession();
			if (session === undefined) return false;
			await checkAnyHeld(parts, context, session);
			const client = await clientOf(parts, context);
			return !(await rules.isConsented(session.userId, client, requestedIn(context)));
		}),
	);
	// Any program can receive the code at a loopback port (RFC 8252, section 8.6), so the user must consent: at a
	// first-party application, only until the session has a grant.
	const native = consent.checks.get("native_client_prompt");
	const test = native.check;
	native.check = async (context) => {
		if (!(await test(context))) return false;
		const client = await clientOf(parts, context);
		const session = browserSession();
		if (!client.firstParty || session === undefined) return true;
		const { oauthGrants } = parts.db.stores;
		return !(await oauthGrants.isAnyLive(session.id, client.applicationId, parts.clock()));
	};
	// Runs last, when no prompt is left: a code requires a stored grant.
	const save = new Check("grant_not_stored", "the grant was not stored", "server_error", async ({ oidc }) => {
		if (oidc.session.accountId !== undefined) await oidc.grant.save();
		return false;
	});
	policy.add(new Prompt({ name: "grant", requestable: false }, save));
	return policy;
}

/**
 * Creates a grant per sign-in, so that a reused code revokes only what that sign-in issued. Undefined if the user must
 * consent first.
 */
export async function loadGrant(parts: ProviderParts, context: Context): Promise<Grant | undefined> {
	const { oidc } = context;
	const session = browserSession();
	const client = await clientOf(parts, context);
	if (session === undefined || session.tenantId !== client.tenantId) return undefined;
	const requested = requestedIn(context);
	const isConsented = await parts.rules.isConsented(session.userId, client, requested);
	if (!isConsented) return undefined;
	const grant = new oidc.provider.Grant({
		accountId: session.userId,
		clientId: client.applicationId,
		jti: parts.randomToken(),
	});
	if (requested.scopes.length > 0) grant.addOIDCScope(requested.scopes.join(" "));
	for (const [resource, scope] of Object.entries(grantedScopes(requested, oidc.params.scope)))
		grant.addResourceScope(resource, scope);
	return grant;
}

/** @throws AccessDenied if the client was deleted in the meantime. */
async function clientOf({ db }: ProviderParts, { oidc }: Context): Promise<PresentedOAuthClient> {
	const client = await db.stores.oauthClients.findPresented(oidc.client?.clientId ?? "");
	if (client === undefined) throw new errors.AccessDenied("the client was deleted");
	return client;
}
