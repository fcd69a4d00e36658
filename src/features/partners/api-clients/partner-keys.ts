// The public keys of API clients: partners and administrators add and remove them, and reviewers accept them.

import { type PartnerKeyMembers, readPartnerKey } from "../../../crypto/client-jwks.ts";
import {
	type ApiClient,
	type ApiClientStore,
	apiClientNotFound,
	getApiClient,
	requireLive,
	unclaimed,
} from "../../../domain/api-client.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { overlapEndMs, type SealedSecrets } from "../../../domain/client-secret.ts";
import { PARTNER_KEYS_MAX, type PartnerKey } from "../../../domain/partner-key.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isoTime, isoTimeOrNull } from "../../../kernel/clock.ts";
import { AppError, found, refusedField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { addressMail, mailReviewers, reviewUrl } from "../steps/address-mail.ts";

type Needed = Needs<
	"apiClients" | "tenants" | "users" | "audit" | "mail",
	"clock" | "wakeMail" | "publicUrl"
>;
type LockedClient = ApiClient & SealedSecrets;

export interface AddedKey {
	/** A JSON Web Key. */
	readonly publicKey: Readonly<Record<string, unknown>>;
	/** How long the Secret that the first key replaces remains valid. */
	readonly overlapSeconds: number;
}

/** @throws AppError `request.invalid` (`public_key`). */
export function parsePublicKey(jwk: AddedKey["publicKey"]): PartnerKeyMembers {
	const read = readPartnerKey(jwk);
	if ("problem" in read) throw refusedField("request.invalid", "public_key", read.problem);
	return read.key;
}

/** A key that an administrator adds. @param reviewedBy null for an admin key or a command */
export function reviewedKey(
	key: PartnerKeyMembers,
	reviewedBy: string | null,
	nowMs: number,
	overlapSeconds = 0,
): PartnerKey {
	return { ...key, createdAtMs: nowMs, reviewedAtMs: nowMs, reviewedBy, isHeld: false, overlapSeconds };
}

/** A key that a partner adds: held if the tenant requires a review. */
export async function partnerKey(
	{ tenants }: Stores<"tenants">,
	tenantId: string,
	key: PartnerKeyMembers,
	nowMs: number,
	overlapSeconds = 0,
): Promise<PartnerKey> {
	const isHeld = (await tenants.findById(tenantId))?.partnerKeysNeedReview === true;
	return { ...key, createdAtMs: nowMs, reviewedAtMs: null, reviewedBy: null, isHeld, overlapSeconds };
}

/**
 * An administrator adds a key. Mails the owner.
 *
 * @throws AppError `request.invalid` (`public_key`), `api_client.not_found`, `api_client.test_mode`,
 * `api_client.unclaimed`, `api_client.key_exists`, `api_client.keys_full`.
 */
export async function addKey(
	{ db, clock, wakeMail }: Needed,
	id: string,
	{ publicKey, overlapSeconds }: AddedKey,
	caller: Caller,
): Promise<ApiClient> {
	const now = clock();
	const key = reviewedKey(parsePublicKey(publicKey), caller.userId, now, overlapSeconds);
	const client = await db.transaction(async (stores) => {
		const locked = await lock(stores.apiClients, caller.tenantId, id);
		const added = await storeAdded(stores, locked, key, caller, now);
		await mailOwner(stores, added, key, caller);
		return added;
	});
	wakeMail();
	return client;
}

/**
 * The calling client adds a key. Mails the reviewers and the owner.
 *
 * @throws AppError `request.invalid` (`public_key`), `secret.superseded`, `api_client.key_exists`,
 * `api_client.keys_full`.
 */
export async function addOwnKey(
	{ db, clock, wakeMail, publicUrl }: Needed,
	{ publicKey, overlapSeconds }: AddedKey,
	caller: CallingClient,
): Promise<{ readonly client: ApiClient; readonly keyId: string }> {
	const now = clock();
	const members = parsePublicKey(publicKey);
	const client = await db.transaction(async (stores) => {
		const locked = await lockOwn(stores.apiClients, caller);
		const key = await partnerKey(stores, caller.tenantId, members, now, overlapSeconds);
		const added = await storeAdded(stores, locked, key, { ...caller, actorName: locked.name }, now);
		await mailKeyReviewers(stores, added, key, caller, publicUrl);
		await mailOwner(stores, added, key, caller);
		return added;
	});
	wakeMail();
	return { client, keyId: members.id };
}

/**
 * Marks a key as reviewed; a held one becomes live. Changes nothing about a key that was reviewed.
 *
 * @throws AppError `api_client.not_found`, `api_client.key_not_found`.
 */
export async function acceptKey(
	{ db, clock }: Needed,
	{ id, keyId }: { readonly id: string; readonly keyId: string },
	caller: Caller,
): Promise<ApiClient> {
	const now = clock();
	return db.transaction(async (stores) => {
		const locked = await lock(stores.apiClients, caller.tenantId, id);
		const key = findKey(locked, keyId);
		if (key.reviewedAtMs !== null) return getApiClient(stores.apiClients, caller.tenantId, id);
		const accepted = { ...key, reviewedAtMs: now, reviewedBy: caller.userId, isHeld: false };
		const keys = locked.publicKeys.map((one) => (one === key ? accepted : one));
		const client = await storeKeys(stores.apiClients, locked, keys, key.overlapSeconds, now);
		await audit(stores, "api_client.key_accepted", client, keyId, caller);
		return client;
	});
}

/** @throws AppError `api_client.not_found`, `api_client.key_not_found`, `api_client.last_key`. */
export async function removeKey(
	{ db, clock }: Needed,
	{ id, keyId }: { readonly id: string; readonly keyId: string },
	caller: Caller,
): Promise<void> {
	await db.transaction(async (stores) => {
		const locked = await lock(stores.apiClients, caller.tenantId, id);
		await storeRemoved(stores, locked, keyId, caller, clock());
	});
}

/** @throws AppError `secret.superseded`, `api_client.key_not_found`, `api_client.last_key`. */
export async function removeOwnKey(
	{ db, clock }: Needed,
	keyId: string,
	caller: CallingClient,
): Promise<void> {
	await db.transaction(async (stores) => {
		const locked = await lockOwn(stores.apiClients, caller);
		await storeRemoved(stores, locked, keyId, { ...caller, actorName: locked.name }, clock());
	});
}

/** Mails those who can accept the key. Call inside the transaction that stores it. */
export async function mailKeyReviewers(
	stores: Stores<"users" | "mail">,
	{ id, tenantId, name, accessRequestId }: ApiClient,
	key: PartnerKey,
	{ origin }: Pick<Caller, "origin">,
	publicUrl: string,
): Promise<void> {
	await mailReviewers(stores, tenantId, {
		...keyMessage(name, key, origin.ip),
		reviewUrl:
			accessRequestId === null
				? `${publicUrl}/console/clients/${id}`
				: reviewUrl(publicUrl, { id: accessRequestId }),
	});
}

async function mailOwner(
	{ mail }: Stores<"mail">,
	{ tenantId, name, owner }: ApiClient,
	key: PartnerKey,
	{ origin }: Caller,
): Promise<void> {
	if (owner === null) return;
	await mail.put(addressMail(tenantId, owner, { ...keyMessage(name, key, origin.ip), reviewUrl: "" }));
}

function keyMessage(clientName: string, { id: keyId, createdAtMs, isHeld }: PartnerKey, ip: string) {
	const at = isoTime(createdAtMs);
	return { kind: "api_client_key_added", clientName, keyId, at, ip, heldAt: isHeld ? at : "" } as const;
}

async function lock(apiClients: ApiClientStore, tenantId: string, id: string): Promise<LockedClient> {
	const locked = found(await apiClients.findForUpdate(tenantId, id), apiClientNotFound);
	requireLive(locked, "it signs with its Secret");
	if (locked.status === "unclaimed") throw unclaimed("the claim issues its Secret or stores its key");
	return locked;
}

/**
 * Requires the current Secret or a live key: an attacker with a replaced one must not lock the owner out.
 *
 * @throws AppError `secret.superseded`.
 */
async function lockOwn(
	apiClients: ApiClientStore,
	{ tenantId, id, signedWith }: CallingClient,
): Promise<LockedClient> {
	const locked = await apiClients.findForUpdate(tenantId, id);
	const isCurrent =
		locked?.secretSealed === signedWith ||
		locked?.publicKeys.some((key) => key.id === signedWith && !key.isHeld);
	if (locked === undefined || !isCurrent)
		throw new AppError(
			"secret.superseded",
			"only the current Secret or a key that signs now can change the keys: it was replaced or removed",
		);
	return locked;
}

function findKey({ publicKeys }: ApiClient, keyId: string): PartnerKey {
	return found(
		publicKeys.find(({ id }) => id === keyId),
		() => new AppError("api_client.key_not_found", "the API client has no such key"),
	);
}

async function storeAdded(
	stores: Stores<"apiClients" | "audit">,
	locked: LockedClient,
	key: PartnerKey,
	caller: Caller,
	nowMs: number,
): Promise<ApiClient> {
	const { publicKeys } = locked;
	if (publicKeys.some(({ id }) => id === key.id))
		throw new AppError("api_client.key_exists", "the API client already has this key");
	if (publicKeys.length >= PARTNER_KEYS_MAX)
		throw new AppError(
			"api_client.keys_full",
			`an API client has at most ${PARTNER_KEYS_MAX} keys: remove one first`,
		);
	const keys = [...publicKeys, key];
	const client = await storeKeys(stores.apiClients, locked, keys, key.overlapSeconds, nowMs);
	await audit(stores, "api_client.key_added", client, key.id, caller);
	return client;
}

async function storeRemoved(
	stores: Stores<"apiClients" | "audit">,
	locked: LockedClient,
	keyId: string,
	caller: Caller,
	nowMs: number,
): Promise<void> {
	const { isHeld } = findKey(locked, keyId);
	const keys = locked.publicKeys.filter(({ id }) => id !== keyId);
	const canSign = locked.secretSealed !== null || keys.some((key) => !key.isHeld);
	if (!canSign && (!isHeld || keys.length === 0))
		throw new AppError(
			"api_client.last_key",
			"this is the last key of the API client: add another one first, or ask an administrator to disable the client",
		);
	const client = await storeKeys(stores.apiClients, locked, keys, 0, nowMs);
	await audit(stores, "api_client.key_removed", client, keyId, caller);
}

async function audit(
	stores: Stores<"audit">,
	action: "api_client.key_added" | "api_client.key_accepted" | "api_client.key_removed",
	{ id, name, previousSecretExpiresAtMs }: ApiClient,
	keyId: string,
	caller: Caller,
): Promise<void> {
	await stores.audit.append(caller, action, named("api_client", id, name), {
		key_id: keyId,
		previous_secret_expires_at: isoTimeOrNull(previousSecretExpiresAtMs),
	});
}

/**
 * Call inside a transaction. The first live key replaces the Secret, which remains valid for `overlapSeconds`. An
 * unclaimed client becomes active.
 */
export async function storeKeys(
	apiClients: ApiClientStore,
	{ tenantId, id, secretSealed }: LockedClient,
	keys: readonly PartnerKey[],
	overlapSeconds: number,
	nowMs: number,
): Promise<ApiClient> {
	const isReplaced = secretSealed !== null && keys.some(({ isHeld }) => !isHeld);
	await apiClients.setPublicKeys(
		tenantId,
		id,
		keys,
		isReplaced
			? {
					secretSealed: null,
					secretHint: "",
					secretCreatedAtMs: null,
					// Kept even without an overlap: explain-signature recognizes signatures made with it.
					previousSecretSealed: secretSealed,
					previousSecretExpiresAtMs: overlapEndMs(overlapSeconds, nowMs),
				}
			: undefined,
		nowMs,
	);
	return getApiClient(apiClients, tenantId, id);
}
