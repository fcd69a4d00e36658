// Rotates the keys that sign access tokens and ID tokens: published in advance, or at once after a leak.

import { createIdTokenKey, createSigningKey } from "../../app/stored-keys.ts";
import { RSA_ALGORITHMS } from "../../crypto/rsa-key.ts";
import { ALGORITHM } from "../../crypto/signing-key.ts";
import { type AuditLog, named } from "../../domain/audit.ts";
import type { KeyLifeStore, StoredIdTokenKey, StoredKey } from "../../domain/signing-key.ts";
import { DEFAULT_TENANT_SLUG } from "../../domain/tenant.ts";
import {
	describeLife,
	JWKS_MAX_AGE_SECONDS,
	KEYS_READ_EVERY_MS,
	type KeyState,
	livesOf,
	PUBLISHED_AHEAD_MS,
} from "../../features/identity/auth/signing-key-life.ts";
import type { Needs } from "../../features/platform.ts";
import { isoTime, SECOND_MS } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import { cliCaller } from "../cli-caller.ts";

/** Longest time, in seconds, until nodes and verifiers read a change. */
export const KEY_CHANGE_SECONDS = {
	nodes: KEYS_READ_EVERY_MS / SECOND_MS,
	verifiers: JWKS_MAX_AGE_SECONDS,
};

export interface ListedKey {
	readonly kid: string;
	/** `ES256` signs access tokens and ID tokens, `RS256` and `PS256` ID tokens only. */
	readonly alg: string;
	readonly state: KeyState;
	/** Its next change, in words. */
	readonly description: string;
}

/** Every stored key; per algorithm, the last one to sign comes first. */
export async function listSigningKeys({
	db,
	clock,
}: Needs<"signingKeys" | "idTokenKeys", "clock">): Promise<ListedKey[]> {
	const { signingKeys, idTokenKeys } = db.stores;
	const listed = (keys: readonly (StoredKey & { readonly alg?: string })[]): ListedKey[] =>
		livesOf(keys, clock()).map((life) => ({
			kid: life.key.kid,
			alg: life.key.alg ?? ALGORITHM,
			state: life.state,
			description: describeLife(life),
		}));
	return [...listed(await signingKeys.listAll()), ...listed(await idTokenKeys.listAll())];
}

export interface Rotation {
	readonly kid: string;
	/** The new RSA keys; none if there were none before. */
	readonly idTokenKeys: readonly Pick<StoredIdTokenKey, "kid" | "alg">[];
	readonly signsFromMs: number;
	/** Ids of the keys whose tokens are refused from now on. */
	readonly withdrawn: readonly string[];
}

/**
 * Writes a key per algorithm in use, the audit events, and, with `atOnce`, the withdrawal of every other key in one
 * transaction.
 *
 * @throws StartError when a published key does not sign yet (not with `atOnce`, which withdraws that key too).
 */
export async function rotateSigningKey(
	{ db, secretBox, clock }: Needs<"tenants" | "signingKeys" | "idTokenKeys" | "audit", "secretBox" | "clock">,
	{ atOnce }: { readonly atOnce: boolean },
): Promise<Rotation> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined)
		throw new StartError("there are no keys yet; start the service once first", { kind: "not_found" });
	const now = clock();
	const signsFromMs = atOnce ? now : now + PUBLISHED_AHEAD_MS;
	const key = await createSigningKey(secretBox, now, signsFromMs);
	const rsaKeys = await nextRsaKeys(await db.stores.idTokenKeys.listAll(), (next) =>
		createIdTokenKey(secretBox, { ...next, createdAtMs: now, signsFromMs }),
	);
	return db.transaction(async ({ signingKeys, idTokenKeys, audit }) => {
		const step = { audit, tenantId: tenant.id, atOnce, now };
		const withdrawn = await makeWay(step, signingKeys);
		await signingKeys.insert(key);
		await record(step, key, ALGORITHM, withdrawn);
		const rsaWithdrawn = await makeWay(step, idTokenKeys);
		for (const rsaKey of rsaKeys) {
			if (!(await idTokenKeys.insert(rsaKey)))
				throw new StartError("another rotation is in progress", { kind: "refused" });
			await record(step, rsaKey, rsaKey.alg, rsaWithdrawn);
		}
		return { kid: key.kid, idTokenKeys: rsaKeys, signsFromMs, withdrawn: [...withdrawn, ...rsaWithdrawn] };
	});
}

interface Step {
	readonly audit: AuditLog;
	readonly tenantId: string;
	readonly atOnce: boolean;
	readonly now: number;
}

/** One key for each algorithm that has any. */
function nextRsaKeys(
	keys: readonly StoredIdTokenKey[],
	create: (next: Pick<StoredIdTokenKey, "alg" | "number">) => Promise<StoredIdTokenKey>,
): Promise<StoredIdTokenKey[]> {
	const next = RSA_ALGORITHMS.flatMap((alg) => {
		const numbers = keys.filter((key) => key.alg === alg).map(({ number }) => number);
		return numbers.length === 0 ? [] : [{ alg, number: Math.max(...numbers) + 1 }];
	});
	return Promise.all(next.map(create));
}

/** @returns the withdrawn keys. */
async function makeWay({ atOnce, now }: Step, store: KeyLifeStore<StoredKey>): Promise<string[]> {
	const lives = livesOf(await store.listAll(), now);
	const next = lives.find(({ state }) => state === "next")?.key;
	if (next !== undefined && !atOnce)
		throw new StartError(
			`key ${next.kid} was already published and signs from ${isoTime(next.signsFromMs)}; rotate again after that, or with --now if a key was compromised`,
			{ kind: "refused" },
		);
	const withdrawn: string[] = [];
	for (const { key, state } of atOnce ? lives : [])
		if (state !== "gone" && (await store.withdraw(key.kid, now))) withdrawn.push(key.kid);
	return withdrawn;
}

async function record(
	{ audit, tenantId, atOnce }: Step,
	{ kid, signsFromMs }: StoredKey,
	alg: string,
	withdrawn: readonly string[],
): Promise<void> {
	const action = atOnce ? "signing_key.replaced" : "signing_key.published";
	const details = { signs_from: isoTime(signsFromMs), alg, ...(atOnce && { withdrawn }) };
	await audit.append(cliCaller(tenantId), action, named("signing_key", kid, ""), details);
}
