// Creates, updates and deletes identity providers.

import { named } from "../../../domain/audit.ts";
import type { Administrator, Caller } from "../../../domain/caller.ts";
import {
	type EmailDomains,
	type IdentityProvider,
	type IdentityProviderChanges,
	identityProviderContext,
	identityProviderNotFound,
	isTrustedFor,
	PROVIDERS_MAX,
} from "../../../domain/identity-provider.ts";
import type { Stores } from "../../../domain/stores.ts";
import { checkPlatformAdmin } from "../../../domain/system-role.ts";
import { changeDetails, differences, fieldChanges, type Patch, wireNames } from "../../../kernel/changes.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { parseTrust } from "./issuer-trust.ts";
import { checkIssuer, parseIssuer } from "./issuer-url.ts";
import { insertError, inUse, issuerInUse, issuerTaken } from "./provider-errors.ts";

type ProviderStore =
	| "adminKeys"
	| "identityProviders"
	| "domains"
	| "oauthClients"
	| "sessions"
	| "setUpLinks"
	| "audit";
export type ProviderNeeds = Needs<
	ProviderStore,
	"secretBox" | "clock" | "providers" | "isProviderAddress" | "isWebhookAddress"
>;

/** In the same transaction. */
type Also = (stores: Stores<ProviderStore>) => Promise<void>;

type Fields = Omit<IdentityProviderChanges, "clientSecretSealed" | "clientSecretSetAtMs" | "jwksSetAtMs">;
type NewProvider = Pick<IdentityProvider, "provider" | "kind"> &
	Required<Omit<Fields, "emailDomains">> & {
		readonly emailDomains: EmailDomains | undefined;
		readonly clientSecretPlain: string | undefined;
		readonly force: boolean;
	};

/** Of fields that are absent. */
export const NEW_PROVIDER = {
	uses: ["sign_in"],
	clientId: null,
	issuer: null,
	jwksUri: null,
	jwks: null,
	audience: null,
	subjectClaim: "sub",
	mfaAcr: [],
	emailDomains: undefined,
	enabled: true,
	signUp: false,
} as const;

/**
 * @throws AppError `request.invalid` (`issuer`), `issuer.mismatch`, `issuer.taken`, `identity_provider.slug_taken`, `identity_provider.too_many`;
 * `role.required` if a platform admin has an account under the slug.
 */
export async function createProvider(
	needs: ProviderNeeds,
	{ clientSecretPlain, force, ...newProvider }: NewProvider,
	caller: Administrator,
	also?: (stores: Stores<ProviderStore>, provider: IdentityProvider) => Promise<void>,
): Promise<IdentityProvider> {
	const { db, secretBox, clock, isProviderAddress } = needs;
	const issuer = parseIssuer(newProvider.issuer, newProvider.kind, isProviderAddress);
	const trust = parseTrust({ ...newProvider, hasSecret: clientSecretPlain !== undefined }, needs);
	// Platforms of workloads name no endpoints for sign-in, or cannot be reached.
	if (isTrustedFor(trust, "sign_in")) await checkIssuer(needs, { kind: newProvider.kind, issuer, force });
	const now = clock();
	const id = newId(now);
	const provider: IdentityProvider = {
		...newProvider,
		...trust,
		id,
		tenantId: caller.tenantId,
		issuer,
		emailDomains: newProvider.emailDomains ?? emailDomainsFor(trust),
		lastTest: null,
		clientSecretSetAtMs: clientSecretPlain === undefined ? null : now,
		jwksSetAtMs: trust.jwks === null ? null : now,
		createdBy: caller.userId,
		managedBy: null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	const clientSecretSealed = secretBox.seal(clientSecretPlain ?? "", identityProviderContext(id));
	await db.transaction(async (stores) => {
		const { identityProviders, audit } = stores;
		const outcome = await identityProviders.insert({ ...provider, clientSecretSealed }, PROVIDERS_MAX);
		if (outcome !== "inserted") throw insertError(outcome);
		const { provider: slug, kind, uses, issuer, enabled, signUp } = provider;
		// Accounts can be linked before their provider exists, and its administrator controls who signs in with them.
		if (await identityProviders.authenticatesPlatformAdmin(caller.tenantId, slug)) checkPlatformAdmin(caller);
		const details = { provider: slug, kind, uses, issuer, enabled, sign_up: signUp };
		await audit.append(caller, "identity_provider.created", named("identity_provider", id, slug), details);
		await also?.(stores, provider);
	});
	return provider;
}

/** The fields that decide whose account an id is, with their names on the wire. */
const IDENTIFYING = [
	["issuer", "issuer"],
	["subjectClaim", "subject_claim"],
] as const;
/** What a test uses. */
const TESTED = ["uses", "clientId", "issuer", "subjectClaim", "jwksUri", "jwks"] as const;
/** Absent means unchanged. A `clientSecretPlain` always counts as a change. */
type ProviderPatch = Patch<Fields & { readonly clientSecretPlain?: string }>;

/**
 * A patch that changes nothing writes nothing. The issuer cannot change while accounts are linked, because at another
 * issuer the same ids belong to other users; nor while workloads of clients and admin keys name it.
 *
 * @throws AppError `request.invalid` (`issuer`), `issuer.mismatch`, `identity_provider.not_found`,
 * `identity_provider.in_use` (`issuer`), `issuer.in_use`, `issuer.taken`, `set_up.open`; `role.required` for
 * other keys of assertions if a platform admin has an account at the provider.
 */
export async function updateProvider(
	needs: ProviderNeeds,
	id: string,
	{ clientSecretPlain, force, ...patch }: ProviderPatch & { readonly force: boolean },
	caller: Administrator,
	also?: Also,
): Promise<IdentityProvider> {
	const { db, secretBox, clock, isProviderAddress } = needs;
	const { tenantId } = caller;
	if (patch.issuer !== undefined || patch.uses !== undefined) {
		const stores = db.stores.identityProviders;
		const before = found(await stores.findById(tenantId, id), identityProviderNotFound);
		const { kind, issuer, provider, uses } = before;
		const next = patch.issuer === undefined ? issuer : parseIssuer(patch.issuer, kind, isProviderAddress);
		// No document can change this. Decided again below, under the lock.
		if (next !== issuer && (await stores.hasAccounts(tenantId, provider)))
			throw inUse("issuer cannot change");
		const signsIn = isTrustedFor({ uses: patch.uses ?? uses }, "sign_in");
		// Before the transaction, which must not wait for a provider.
		if (signsIn && (next !== issuer || !isTrustedFor(before, "sign_in")))
			await checkIssuer(needs, { kind, issuer: next, force });
	}
	const now = clock();
	const secret = clientSecretPlain !== undefined && {
		clientSecretSealed: secretBox.seal(clientSecretPlain, identityProviderContext(id)),
		clientSecretSetAtMs: now,
	};
	return db.transaction(async (stores) => {
		const { identityProviders, sessions, audit } = stores;
		// Lock first, so that no account can be linked between the check and the change.
		await identityProviders.hold(tenantId, id);
		const before = found(await identityProviders.findById(tenantId, id), identityProviderNotFound);
		await also?.(stores);
		const issuer =
			patch.issuer === undefined ? undefined : parseIssuer(patch.issuer, before.kind, isProviderAddress);
		const hasSecret = secret !== false || before.clientSecretSetAtMs !== null;
		const trust = parseTrust({ ...before, ...withoutAbsent(patch), hasSecret }, needs);
		const gainsAssertions = isTrustedFor(trust, "assertions") && !isTrustedFor(before, "assertions");
		const emailDomains = patch.emailDomains ?? (gainsAssertions ? emailDomainsFor(trust) : undefined);
		const changes = differences<Fields>(before, { ...patch, ...trust, issuer, emailDomains });
		if (Object.keys(changes).length === 0 && secret === false) return before;
		if (changes.enabled === true) await checkSetUp(stores, before);
		// At another issuer, and under another claim, the same ids belong to other users.
		const moved = IDENTIFYING.find(([field]) => changes[field] !== undefined);
		if (moved !== undefined && (await identityProviders.hasAccounts(tenantId, before.provider)))
			throw inUse(`${moved[1]} cannot change`);
		// The owner of the keys can assert everyone who has an account there.
		const trustsOtherKeys =
			isTrustedFor(trust, "assertions") &&
			(gainsAssertions || changes.jwks !== undefined || changes.jwksUri !== undefined);
		if (trustsOtherKeys && (await identityProviders.authenticatesPlatformAdmin(tenantId, before.provider)))
			checkPlatformAdmin(caller);
		if (changes.issuer !== undefined || !isTrustedFor(trust, "workloads"))
			await checkNoWorkloads(stores, before);
		const keys = changes.jwks !== undefined && { jwksSetAtMs: changes.jwks === null ? null : now };
		// What was tested is not what is stored now.
		const untested = (secret !== false || TESTED.some((field) => changes[field] !== undefined)) && {
			lastTest: null,
		};
		const next = { ...changes, ...keys, ...secret, ...untested };
		if ((await identityProviders.update(tenantId, id, next, now)) === "issuer_taken") throw issuerTaken();
		if (untested) await voidTrial(stores, before, now);
		const mayAssert = (changes.enabled ?? before.enabled) && isTrustedFor(trust, "assertions");
		if (isTrustedFor(before, "assertions") && (!mayAssert || changes.issuer !== undefined))
			await sessions.endAsserted(tenantId, id);
		const { jwks: _keys, ...shown } = changes;
		const details = {
			...changeDetails(shown, [
				"uses",
				"issuer",
				"subjectClaim",
				"mfaAcr",
				"emailDomains",
				"enabled",
				"signUp",
			]),
			fields: [...wireNames(changes), ...(secret === false ? [] : ["client_secret"])],
		};
		const target = named("identity_provider", id, before.provider);
		const values = fieldChanges(before, shown);
		await audit.append(caller, "identity_provider.updated", target, details, values);
		return { ...before, ...next, updatedAtMs: now };
	});
}

/**
 * Ends sign-ins in progress. Refuses a provider with linked accounts: a later provider with its slug would inherit them.
 *
 * @throws AppError `identity_provider.not_found`, `identity_provider.in_use`, `issuer.in_use`.
 */
export async function deleteProvider(
	{
		db,
		clock,
	}: Needs<
		"adminKeys" | "identityProviders" | "directories" | "domains" | "oauthClients" | "oauthGrants" | "audit",
		"clock"
	>,
	id: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async (stores) => {
		const { identityProviders, directories, domains, oauthGrants, audit } = stores;
		await identityProviders.hold(tenantId, id);
		const before = found(await identityProviders.findById(tenantId, id), identityProviderNotFound);
		const { provider, kind } = before;
		if ((await directories.find(tenantId, id)) !== undefined) throw issuerInUse("it has", ["a directory"]);
		if (await identityProviders.hasAccounts(tenantId, provider)) throw inUse("it cannot be deleted");
		await checkNoWorkloads(stores, before);
		const owned = (await domains.listOfIssuer(tenantId, id)).map(({ domain }) => domain);
		if (owned.length > 0) throw issuerInUse("it signs in the people of", owned);
		const names = await oauthGrants.namesAsserted(id, clock());
		if (names.length > 0) throw issuerInUse("its assertions signed users in at", names);
		await identityProviders.remove(tenantId, id);
		const target = named("identity_provider", id, provider);
		await audit.append(caller, "identity_provider.deleted", target, { provider, kind });
	});
}

/** An issuer whose assertions are redeemed without its users being there decides about no address by default. */
function emailDomainsFor(trust: Pick<IdentityProvider, "uses">): EmailDomains {
	return isTrustedFor(trust, "assertions") ? "verified" : "any";
}

/** An organization that still sets the issuer up could change it after the administrator has checked it. */
async function checkSetUp(
	{ setUpLinks }: Stores<"setUpLinks">,
	{ tenantId, id }: IdentityProvider,
): Promise<void> {
	const link = await setUpLinks.findByIssuer(tenantId, id);
	if (link !== undefined && link.finishedAtMs === null)
		throw new AppError("set_up.open", "the organization has not finished setting this provider up");
}

/** The trial of an open set-up link proved other settings. */
async function voidTrial(
	{ setUpLinks }: Stores<"setUpLinks">,
	{ tenantId, id }: IdentityProvider,
	nowMs: number,
): Promise<void> {
	const link = await setUpLinks.findByIssuer(tenantId, id);
	if (link !== undefined)
		await setUpLinks.change(tenantId, link.id, { testedAtMs: null, testedBy: "" }, nowMs);
}

/** Exact while the row of the issuer is locked, because a client or an admin key that names it locks it too. */
async function checkNoWorkloads(
	{ oauthClients, adminKeys }: Stores<"oauthClients" | "adminKeys">,
	{ tenantId, id, uses }: IdentityProvider,
): Promise<void> {
	if (!isTrustedFor({ uses }, "workloads")) return;
	const names = [
		...(await oauthClients.namesUsingIssuer(tenantId, id)),
		...(await adminKeys.namesUsingIssuer(tenantId, id)),
	];
	if (names.length > 0) throw issuerInUse("it is named by workloads of", names);
}

function withoutAbsent<T extends object>(patch: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
	const given = Object.entries(patch).filter(([, value]) => value !== undefined);
	return Object.fromEntries(given) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
