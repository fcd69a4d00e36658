// Changes the key that signs access tokens: the new one published ahead, or at once when the old one is no longer ours alone.

import type { Stores } from "../adapters/sql/stores.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import { generateSigningKey } from "../crypto/signing-key.ts";
import { signingKeyContext } from "../features/auth/model.ts";
import {
	describeLife,
	JWKS_MAX_AGE_SECONDS,
	KEYS_READ_EVERY_MS,
	type KeyState,
	livesOf,
	PUBLISHED_AHEAD_MS,
} from "../features/auth/signing-key-life.ts";
import { DEFAULT_TENANT_SLUG } from "../features/tenants/model.ts";
import { type Clock, isoTime, SECOND_MS } from "../kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";

/** How long it takes until everybody has noticed, at most. */
export const NOTICED_WITHIN = {
	nodesSeconds: KEYS_READ_EVERY_MS / SECOND_MS,
	verifiersSeconds: JWKS_MAX_AGE_SECONDS,
};

export interface ToldKey {
	readonly kid: string;
	readonly state: KeyState;
	/** What happens to it next, in words. */
	readonly told: string;
}

/** Every stored key, the latest to sign first. */
export async function listSigningKeys({ db, clock }: Pick<RotationDeps, "db" | "clock">): Promise<ToldKey[]> {
	const lives = livesOf(await db.stores.signingKeys.listAll(), clock());
	return lives.map((life) => ({ kid: life.key.kid, state: life.state, told: describeLife(life) }));
}

export interface RotationDeps {
	readonly db: Persistence<Stores>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
}

export interface Rotation {
	readonly kid: string;
	readonly signsFromMs: number;
	/** Key ids whose tokens count no more from now on. */
	readonly withdrawn: readonly string[];
}

/**
 * Key, audit event and, with `atOnce`, the end of every other key in one transaction.
 *
 * @throws StartError when a key waits already to sign (not with `atOnce`, which withdraws that one too).
 */
export async function rotateSigningKey(
	{ db, secretBox, clock }: RotationDeps,
	{ atOnce }: { readonly atOnce: boolean },
): Promise<Rotation> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) throw new StartError("there are no keys yet; start the service once first");
	const { kid, publicJwk, privateJwk } = await generateSigningKey();
	const privateSealed = secretBox.seal(JSON.stringify(privateJwk), signingKeyContext(kid));
	const now = clock();
	const signsFromMs = atOnce ? now : now + PUBLISHED_AHEAD_MS;
	return db.transaction(async ({ signingKeys, audit }) => {
		const lives = livesOf(await signingKeys.listAll(), now);
		const withdrawn: string[] = [];
		if (atOnce) {
			for (const { key, state } of lives)
				if (state !== "gone" && (await signingKeys.withdraw(key.kid, now))) withdrawn.push(key.kid);
		} else refuseSecond(lives);
		await signingKeys.insert({
			kid,
			publicJwk,
			privateSealed,
			createdAtMs: now,
			signsFromMs,
			withdrawnAtMs: null,
		});
		await audit.append({
			tenantId: tenant.id,
			actor: "system",
			action: atOnce ? "signing_key.replaced" : "signing_key.published",
			target: `signing_key:${kid}`,
			origin: SYSTEM_ORIGIN,
			details: { signs_from: isoTime(signsFromMs), ...(atOnce ? { withdrawn } : {}) },
		});
		return { kid, signsFromMs, withdrawn };
	});
}

function refuseSecond(lives: ReturnType<typeof livesOf>): void {
	const next = lives.find(({ state }) => state === "next");
	if (next === undefined) return;
	throw new StartError(
		`the key ${next.key.kid} was published already and signs from ${isoTime(next.key.signsFromMs)}; rotate again after that, or with --now if a key is in the wrong hands`,
	);
}
