// Registers an application as an OAuth client, and replaces or changes its settings.

import { audienceNames } from "../../../domain/assertion.ts";
import { type AuditLog, named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import {
	type ClientClaim,
	checkAllowedResources,
	hasSecret,
	type NewOAuthSecret,
	NO_OAUTH_SECRET,
	type OAuthClient,
	type OAuthClientSettings,
	type OAuthClientStore,
	oauthClientNotFound,
	revokesIssuedTokens,
	type StoredOAuthClient,
	signsPeopleIn,
} from "../../../domain/oauth-client.ts";
import { checkWorkloadIssuers } from "../../../domain/parse-workloads.ts";
import { isProgramError } from "../../../domain/program.ts";
import {
	differences,
	fieldChanges,
	wireFields,
	wireNames,
	without,
	withoutAbsent,
} from "../../../kernel/changes.ts";
import { type AppError, found, refusedField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Needs } from "../../platform.ts";
import { getApplication } from "../applications/manage-application.ts";
import { checkTypeFor } from "../applications/redirect-uri.ts";
import { issueOAuthSecret } from "./issue-oauth-secret.ts";
import { type GivenSettings, parseSettings } from "./parse-settings.ts";

type PutNeeds = Needs<
	"applications" | "identityProviders" | "oauthClients" | "audit",
	"clock" | "publicUrl" | "isWebhookAddress"
>;

interface PutClient {
	readonly client: OAuthClient;
	readonly isNew: boolean;
	/** To show once; undefined if no secret was created. */
	readonly secretPlain?: string | undefined;
}

/** Kept by a `PUT` of the same type that omits them, because they depend on the libraries and devices in use. */
const KEPT = ["idTokenAlg", "pkce", "deviceFlow", "responseModes"] as const;

/**
 * Idempotent: writes nothing if nothing changes. A change of the type or of the kind of credential revokes the client's
 * codes, tokens, and consents (`revokesIssuedTokens`). Creates a secret if the method requires one and there is none.
 *
 * @throws AppError `request.invalid`, `application.not_found`, `application.is_program`, `oauth_client.resource_taken`.
 */
export async function putOAuthClient(
	{ db, clock, ...rules }: PutNeeds,
	applicationId: string,
	given: GivenSettings,
	caller: Caller,
): Promise<PutClient> {
	const now = clock();
	const { tenantId } = caller;
	const settings = parseSettings(given, rules);
	return db.transaction(async ({ applications, identityProviders, oauthClients, audit }) => {
		const { name, kind, redirectUris } = await getApplication(applications, tenantId, applicationId);
		if (kind === "program") throw isProgramError();
		checkTypeFor(settings.type, redirectUris);
		await checkAllowedResources(oauthClients, tenantId, settings);
		await checkWorkloadIssuers(identityProviders, tenantId, settings.workloads);
		const step = { oauthClients, audit, caller, name, now };
		const before = await oauthClients.findForUpdate(tenantId, applicationId);
		if (before !== undefined) return change(step, before, keepOmitted(before, given, settings));
		const created = await create(step, { ...settings, applicationId, tenantId });
		if (created !== undefined) return created;
		const concurrent = await oauthClients.findForUpdate(tenantId, applicationId);
		if (concurrent === undefined) throw resourceTaken();
		return change(step, concurrent, keepOmitted(concurrent, given, settings));
	});
}

/**
 * Changes the named settings, and keeps the others. Otherwise like `putOAuthClient`.
 *
 * @throws AppError also `oauth_client.not_found`.
 */
export async function updateOAuthClient(
	{ db, clock, ...rules }: PutNeeds,
	applicationId: string,
	given: Partial<GivenSettings>,
	caller: Caller,
): Promise<PutClient> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async ({ applications, identityProviders, oauthClients, audit }) => {
		const { name, kind, redirectUris } = await getApplication(applications, tenantId, applicationId);
		if (kind === "program") throw isProgramError();
		const before = found(await oauthClients.findForUpdate(tenantId, applicationId), oauthClientNotFound);
		const settings = parseSettings(merged(before, given), rules);
		checkTypeFor(settings.type, redirectUris);
		await checkAllowedResources(oauthClients, tenantId, settings);
		await checkWorkloadIssuers(identityProviders, tenantId, settings.workloads);
		return change({ oauthClients, audit, caller, name, now }, before, settings);
	});
}

/** Settings that a change of the type sets to the defaults of the new type. */
const OF_TYPE = ["authMethod", ...KEPT, "actsForPeople", "assertionAudiences", "profile", "claims"] as const;

/** Leaves out stored settings that a change of the type or of the authentication makes invalid. */
function merged(before: StoredOAuthClient, given: Partial<GivenSettings>): GivenSettings {
	const type = given.type ?? before.type;
	const isSameType = type === before.type;
	const { jwks, jwksUri, workloads, ...others } = before;
	const kept: Partial<OAuthClientSettings> = isSameType ? others : without(others, OF_TYPE);
	const method = given.authMethod ?? kept.authMethod;
	const namesKeys = given.jwks != null || given.jwksUri != null;
	return {
		...kept,
		...(!signsPeopleIn(type) && NO_SIGN_IN),
		...(method === "private_key_jwt" && !namesKeys && { jwks, jwksUri }),
		...(method === "workload" && { workloads }),
		...withoutAbsent(given),
		type,
	};
}

/** What a client that signs no users in cannot have. */
const NO_SIGN_IN = { postLogoutRedirectUris: [], backchannelLogoutUri: null, firstParty: false };

interface Step {
	readonly oauthClients: OAuthClientStore;
	readonly audit: AuditLog;
	readonly caller: Caller;
	/** Of the application. */
	readonly name: string;
	readonly now: number;
}

function keepOmitted(
	before: StoredOAuthClient,
	given: GivenSettings,
	settings: OAuthClientSettings,
): OAuthClientSettings {
	if (before.type !== given.type) return settings;
	if (settings.profile === "fapi2") {
		// FAPI 2.0 admits one value of the others.
		const keeps = given.idTokenAlg === undefined && before.idTokenAlg !== "RS256";
		return keeps ? { ...settings, idTokenAlg: before.idTokenAlg } : settings;
	}
	const kept = KEPT.filter((field) => given[field] === undefined).map((field) => [field, before[field]]);
	return { ...settings, ...Object.fromEntries(kept) };
}

/** Of the event of a new client. */
const UNSHOWN = [
	"postLogoutRedirectUris",
	"backchannelLogoutUri",
	"idTokenAlg",
	"responseModes",
	"jwks",
	"jwksUri",
] as const;

/** Undefined if another call was first or the resource is taken. */
async function create(
	{ oauthClients, audit, caller, name, now }: Step,
	client: OAuthClientSettings & Pick<OAuthClient, "applicationId" | "tenantId">,
): Promise<PutClient | undefined> {
	const { secretPlain, ...secret } = secretFor(client, undefined, now);
	const stored = { ...client, ...secret, createdAtMs: now, updatedAtMs: now };
	if (!(await oauthClients.insert(stored))) return undefined;
	const { applicationId, tenantId: _, ...settings } = client;
	const details = wireFields({
		...without(settings, UNSHOWN),
		workloads: client.workloads.map(({ subject }) => subject),
		assertionAudiences: audienceNames(client.assertionAudiences),
		claims: claimNames(client.claims),
	});
	await audit.append(caller, "oauth_client.created", named("oauth_client", applicationId, name), details);
	return { client: withoutDigests(stored), isNew: true, secretPlain };
}

async function change(
	{ oauthClients, audit, caller, name, now }: Step,
	before: StoredOAuthClient,
	settings: OAuthClientSettings,
): Promise<PutClient> {
	const { applicationId, tenantId } = before;
	const changes = differences<Partial<OAuthClientSettings>>(before, settings);
	if (Object.keys(changes).length === 0) return { client: withoutDigests(before), isNew: false };
	const isEnding = revokesIssuedTokens(before, settings);
	const { secretPlain, ...secret } = secretFor(settings, before, now);
	const after = { ...before, ...settings, ...secret, updatedAtMs: now };
	const outcome = isEnding
		? await oauthClients.replace(after)
		: await oauthClients.update(tenantId, applicationId, changes, now);
	if (outcome === "resource_taken") throw resourceTaken();
	if (outcome === "missing") throw new Error("a locked OAuth client vanished");
	const { assertionAudiences, claims, ...others } = changes;
	const shown = {
		...others,
		...(claims && { claims: claimNames(claims) }),
		...(assertionAudiences && { assertionAudiences: audienceNames(assertionAudiences) }),
	};
	const shownBefore = {
		...before,
		assertionAudiences: audienceNames(before.assertionAudiences),
		claims: claimNames(before.claims),
	};
	await audit.append(
		caller,
		"oauth_client.updated",
		named("oauth_client", applicationId, name),
		{ fields: wireNames(changes), ended_what_was_issued: isEnding },
		fieldChanges(shownBefore, shown, ["jwks", "workloads"]),
	);
	return { client: withoutDigests(after), isNew: false, secretPlain };
}

/** The secret that a client has after the change: none, the one it had, or a new one. */
function secretFor(
	{ authMethod }: OAuthClientSettings,
	before: StoredOAuthClient | undefined,
	now: number,
): NewOAuthSecret & { readonly secretPlain?: string } {
	if (!hasSecret(authMethod)) return NO_OAUTH_SECRET;
	if (before?.secretDigest != null) {
		const { secretDigest, secretHint, secretCreatedAtMs, previousSecretDigest, previousSecretExpiresAtMs } =
			before;
		return { secretDigest, secretHint, secretCreatedAtMs, previousSecretDigest, previousSecretExpiresAtMs };
	}
	return issueOAuthSecret(now);
}

function withoutDigests({
	secretDigest: _,
	previousSecretDigest: _previous,
	...client
}: StoredOAuthClient): OAuthClient {
	return client;
}

function resourceTaken(): AppError {
	return refusedField("oauth_client.resource_taken", "resource", problem("used_as_resource"));
}

function claimNames(claims: readonly ClientClaim[]): readonly string[] {
	return claims.map(({ name }) => name);
}
