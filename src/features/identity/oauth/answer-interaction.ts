// The user's decision on an application that requests a sign-in or consent.

import { userTarget } from "../../../domain/audit.ts";
import type { PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import type { AskedConsent } from "../../../domain/oauth-consent.ts";
import type { OAuthInteraction, OpenIdProvider, OpenIdRules } from "../../../domain/openid-provider.ts";
import { checkInPerson, type Session, type SignedIn } from "../../../domain/session.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

export type InteractionNeeds = Needs<"oauthClients" | "oauthConsents" | "sessions" | "audit", "clock"> & {
	readonly openId: OpenIdProvider;
	readonly openIdRules: OpenIdRules;
};

export interface ShownInteraction {
	readonly interaction: OAuthInteraction;
	readonly client: PresentedOAuthClient;
}

/** An API for which an application asks for tokens. */
export interface AskedApi {
	readonly applicationId: string;
	readonly resource: string;
	/** Of its application. */
	readonly name: string;
}

/** @throws AppError `interaction.not_found`. */
export async function getInteraction(
	{ db, openId }: InteractionNeeds,
	id: string,
): Promise<ShownInteraction> {
	const isUsed = await openId.isUsed();
	const interaction = found(isUsed ? await openId.findInteraction(id) : undefined, notFound);
	const client = found(await db.stores.oauthClients.findPresented(interaction.clientId), notFound);
	if (client.application.status !== "active") throw notFound();
	return { interaction, client };
}

/** In the order in which they are asked for. */
export async function listAskedApis(
	{ db }: Needs<"oauthClients">,
	{ tenantId }: PresentedOAuthClient,
	{ resources }: AskedConsent,
): Promise<AskedApi[]> {
	const apis: AskedApi[] = [];
	for (const resource of resources) {
		const api = await db.stores.oauthClients.findByResource(tenantId, resource);
		if (api === undefined) continue;
		const { applicationId, application } = api;
		apis.push({ applicationId, resource, name: application.name });
	}
	return apis;
}

/**
 * Whether the sign-in under way needs a second factor: asked for by the application, or required by it or by one of its
 * APIs.
 *
 * @throws AppError `interaction.not_found`, `interaction.other_tenant`.
 */
export async function needsSecondFactor(
	needs: InteractionNeeds & Needs<"secondFactors">,
	id: string,
	caller: SignedIn,
): Promise<boolean> {
	const { interaction, client } = await getInteraction(needs, id);
	checkTenant(client, caller);
	if (interaction.asksSecondFactor) return true;
	const { secondFactors } = needs.db.stores;
	for (const { applicationId } of [client, ...(await listAskedApis(needs, client, interaction.asked))])
		if (await secondFactors.isRequired(client.tenantId, applicationId)) return true;
	return false;
}

/**
 * The person is signed in, and goes on to the application.
 *
 * @returns where the browser goes.
 * @throws AppError `interaction.not_found`, `interaction.sign_in_again`, and what `getEnteringSession` throws.
 */
export async function continueInteraction(
	needs: InteractionNeeds,
	id: string,
	caller: SignedIn,
): Promise<string> {
	const shown = await getInteraction(needs, id);
	const session = await getAskedSession(needs, shown, caller);
	const { mustSignInAgain, createdAtMs } = shown.interaction;
	if (mustSignInAgain && session.authenticatedAtMs < createdAtMs)
		throw new AppError("interaction.sign_in_again", "the application asks for a new sign-in");
	return found(await needs.openId.finishInteraction(id, { action: "sign-in", session }), notFound);
}

/**
 * The person agrees to everything that is asked.
 *
 * @returns where the browser goes.
 * @throws AppError `interaction.not_found`, and what `getEnteringSession` throws.
 */
export async function consentToInteraction(
	needs: InteractionNeeds,
	id: string,
	caller: SignedIn,
): Promise<string> {
	const shown = await getInteraction(needs, id);
	if (shown.interaction.prompt !== "consent") throw notFound();
	const session = await getAskedSession(needs, shown, caller);
	await recordConsent(needs, shown, caller);
	return found(await needs.openId.finishInteraction(id, { action: "consent", session }), notFound);
}

/** @returns where the browser goes. @throws AppError `interaction.not_found`. */
export async function denyInteraction(needs: InteractionNeeds, id: string): Promise<string> {
	await getInteraction(needs, id);
	return found(await needs.openId.finishInteraction(id, { action: "deny" }), notFound);
}

/** As `getEnteringSession`, with the second factor that the application asks for. */
async function getAskedSession(
	needs: InteractionNeeds,
	{ interaction, client }: ShownInteraction,
	caller: SignedIn,
): Promise<Session> {
	const session = await getEnteringSession(needs, client, interaction.asked, caller);
	if (interaction.asksSecondFactor && !session.amr.includes("mfa"))
		throw new AppError("mfa.required", "the application asks for a second factor");
	return session;
}

/**
 * The caller's session, when it may enter the application.
 *
 * @throws AppError `application.token`, `interaction.other_tenant`, `account.disabled`, `application.access_denied`,
 * `mfa.required`, `token.invalid`.
 */
export async function getEnteringSession(
	{ db, openIdRules }: InteractionNeeds,
	client: PresentedOAuthClient,
	asked: AskedConsent,
	caller: SignedIn,
): Promise<Session> {
	checkInPerson(caller, "sign in to another application");
	checkTenant(client, caller);
	const ended = () => new AppError("token.invalid", "access token is invalid or expired");
	const session = found(await db.stores.sessions.findById(caller.sessionId), ended);
	const refusal = await openIdRules.findRefusal(session, client, asked.resources);
	if (refusal === undefined) return session;
	if (refusal.code !== "mfa.required") {
		const details = { reason: refusal.code, app_id: client.applicationId };
		await db.transaction(({ audit }) =>
			audit.append(caller, "user.sign_in_failed", userTarget(caller.user), details),
		);
	}
	throw refusal;
}

function checkTenant({ tenantId }: PresentedOAuthClient, caller: SignedIn): void {
	if (caller.tenantId !== tenantId)
		throw new AppError(
			"interaction.other_tenant",
			"the application belongs to another tenant: sign in there",
		);
}

async function recordConsent(
	{ db, clock }: InteractionNeeds,
	{ interaction: { asked }, client }: ShownInteraction,
	caller: SignedIn,
): Promise<void> {
	const { consent, details } = consentOf(asked, client, caller, clock());
	await db.transaction(async ({ oauthConsents, audit }) => {
		await oauthConsents.add(consent);
		await audit.append(caller, "oauth.consented", userTarget(caller.user), details);
	});
}

/** The consent to everything that is asked, and the details of its audit event. */
export function consentOf(
	asked: AskedConsent,
	{ applicationId, application }: PresentedOAuthClient,
	{ tenantId, userId }: SignedIn,
	nowMs: number,
) {
	const of = { tenantId, userId, clientId: applicationId, createdAtMs: nowMs, updatedAtMs: nowMs };
	const details = {
		app_id: applicationId,
		app_name: application.name,
		scopes: asked.scopes.join(" "),
		...(asked.resources.length > 0 && { resources: asked.resources.join(" ") }),
	};
	return { consent: { id: newId(nowMs), ...of, ...asked }, details };
}

function notFound(): AppError {
	return new AppError("interaction.not_found", "this sign-in has ended: start again at the application");
}
