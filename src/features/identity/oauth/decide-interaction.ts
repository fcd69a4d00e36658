// The user's decision on an application that requests a sign-in or consent.

import { userTarget } from "../../../domain/audit.ts";
import type { PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import type { RequestedConsent, RequestedScopes } from "../../../domain/oauth-consent.ts";
import { apiScopesIn, isOpenIdScope } from "../../../domain/oauth-scope.ts";
import type { OAuthInteraction } from "../../../domain/openid-provider.ts";
import { checkInPerson, type Session, type SignedIn } from "../../../domain/session.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { sessionEnded } from "../steps/confirm-owner.ts";
import { refuseEntry } from "../steps/may-enter.ts";

type Needed = Needs<
	"oauthClients" | "oauthConsents" | "sessions" | "audit",
	"clock" | "openId" | "openIdRules"
>;

interface PresentedInteraction {
	readonly interaction: OAuthInteraction;
	readonly client: PresentedOAuthClient;
}

/** @throws AppError `interaction.not_found`. */
export async function getInteraction(
	{ db, openId }: Needs<"oauthClients", "openId">,
	id: string,
): Promise<PresentedInteraction> {
	const isUsed = await openId.isUsed();
	const interaction = found(isUsed ? await openId.findInteraction(id) : undefined, notFound);
	const client = found(await db.stores.oauthClients.findPresented(interaction.clientId), notFound);
	if (client.application.status !== "active") throw notFound();
	return { interaction, client };
}

/** The APIs behind the resources, in the same order. Omits removed ones: issuing a token for them is refused. */
export async function listRequestedApis(
	{ db }: Needs<"oauthClients">,
	tenantId: string,
	resources: readonly string[],
): Promise<PresentedOAuthClient[]> {
	const apis: PresentedOAuthClient[] = [];
	for (const resource of resources) {
		const api = await db.stores.oauthClients.findByResource(tenantId, resource);
		if (api !== undefined) apis.push(api);
	}
	return apis;
}

/** What is requested, by API. */
export async function resolveRequested(
	needs: Needs<"oauthClients", "openIdRules">,
	tenantId: string,
	{ scopes, resources }: RequestedScopes,
): Promise<RequestedConsent> {
	const known: Record<string, readonly string[]> = {};
	for (const api of await listRequestedApis(needs, tenantId, resources))
		if (api.resource !== null) known[api.resource] = await needs.openIdRules.scopesOf(api);
	return { scopes: scopes.filter(isOpenIdScope), resources, apiScopes: apiScopesIn(known, scopes) };
}

/**
 * Whether the sign-in in progress needs a second factor, because the application requested one, or because the
 * application or one of its APIs requires one.
 *
 * @throws AppError `interaction.not_found`, `interaction.other_tenant`.
 */
export async function needsSecondFactor(
	needs: Needs<"oauthClients" | "secondFactors", "openId">,
	id: string,
	caller: SignedIn,
): Promise<boolean> {
	const { interaction, client } = await getInteraction(needs, id);
	checkTenant(client, caller);
	if (interaction.requestsSecondFactor) return true;
	const { tenantId } = client;
	const apis = await listRequestedApis(needs, tenantId, interaction.asked.resources);
	for (const { applicationId } of [client, ...apis])
		if (await needs.db.stores.secondFactors.isRequired(tenantId, applicationId)) return true;
	return false;
}

/**
 * Continues to the application with the user's session.
 *
 * @returns the URL to redirect the browser to.
 * @throws AppError `interaction.not_found`, `interaction.sign_in_again`, and what `getEnteringSession` throws.
 */
export async function continueInteraction(needs: Needed, id: string, caller: SignedIn): Promise<string> {
	const { interaction, client } = await getInteraction(needs, id);
	const session = await getRequestedSession(needs, { interaction, client }, caller);
	if (interaction.mustSignInAgain && session.authenticatedAtMs < interaction.createdAtMs)
		throw new AppError("interaction.sign_in_again", "the application requires a new sign-in");
	return found(await needs.openId.finishInteraction(id, { action: "sign-in", session }), notFound);
}

/**
 * Consents to everything that the application requested. The consent to a first-party application is not stored: its
 * grant shows that the user was asked in this session.
 *
 * @returns the URL to redirect the browser to.
 * @throws AppError `interaction.not_found`, and what `getEnteringSession` throws.
 */
export async function consentToInteraction(needs: Needed, id: string, caller: SignedIn): Promise<string> {
	const { interaction, client } = await getInteraction(needs, id);
	if (interaction.prompt !== "consent") throw notFound();
	const session = await getRequestedSession(needs, { interaction, client }, caller);
	const requested = await resolveRequested(needs, client.tenantId, interaction.asked);
	const { consent, details } = consentOf(requested, client, caller, needs.clock());
	if (!client.firstParty)
		await needs.db.transaction(async ({ oauthConsents, audit }) => {
			await oauthConsents.add(consent);
			await audit.append(caller, "oauth.consented", userTarget(caller.user), details);
		});
	return found(await needs.openId.finishInteraction(id, { action: "consent", session }), notFound);
}

/** @returns the URL to redirect the browser to. @throws AppError `interaction.not_found`. */
export async function denyInteraction(needs: Needs<"oauthClients", "openId">, id: string): Promise<string> {
	await getInteraction(needs, id);
	return found(await needs.openId.finishInteraction(id, { action: "deny" }), notFound);
}

/** Like `getEnteringSession`, and requires the second factor that the application requested. */
async function getRequestedSession(
	needs: Needed,
	{ interaction, client }: PresentedInteraction,
	caller: SignedIn,
): Promise<Session> {
	const session = await getEnteringSession(needs, client, interaction.asked, caller);
	if (interaction.requestsSecondFactor && !session.amr.includes("mfa"))
		throw new AppError("mfa.required", "the application requires a second factor");
	return session;
}

/**
 * The caller's session, if it may access the application.
 *
 * @throws AppError `application.token`, `interaction.other_tenant`, `account.disabled`, `application.access_denied`,
 * `mfa.required`, `token.invalid`.
 */
export async function getEnteringSession(
	needs: Needs<"sessions" | "audit", "openIdRules">,
	client: PresentedOAuthClient,
	requested: RequestedScopes,
	caller: SignedIn,
): Promise<Session> {
	checkInPerson(caller, "sign in to another application");
	checkTenant(client, caller);
	const session = found(await needs.db.stores.sessions.findById(caller.sessionId), sessionEnded);
	const refusal = await needs.openIdRules.findRefusal(session, client, requested.resources);
	return refusal === undefined ? session : await refuseEntry(needs, refusal, client.applicationId, caller);
}

function checkTenant({ tenantId }: PresentedOAuthClient, caller: SignedIn): void {
	if (caller.tenantId !== tenantId)
		throw new AppError(
			"interaction.other_tenant",
			"the application belongs to another tenant: sign in to that tenant",
		);
}

/** The consent to everything that is requested, and the details of its audit event. */
export function consentOf(
	requested: RequestedConsent,
	{ applicationId, application }: PresentedOAuthClient,
	{ tenantId, userId }: SignedIn,
	nowMs: number,
) {
	const of = { tenantId, userId, clientId: applicationId, createdAtMs: nowMs, updatedAtMs: nowMs };
	const details = {
		app_id: applicationId,
		app_name: application.name,
		scopes: [...new Set([...requested.scopes, ...Object.values(requested.apiScopes).flat()])].join(" "),
		...(requested.resources.length > 0 && { resources: requested.resources.join(" ") }),
	};
	return { consent: { id: newId(nowMs), ...of, ...requested }, details };
}

function notFound(): AppError {
	return new AppError("interaction.not_found", "this sign-in has ended: start again at the application");
}
