// Changes the key that signs access tokens: published in advance, or at once when the old key has leaked.

import { createSigningKey } from "../../app/stored-keys.ts";
import { named } from "../../domain/audit-target.ts";
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
	readonly state: KeyState;
	/** Its next change, in words. */
	readonly description: string;
}

/** Every stored key, the last one to sign first. */
export async function listSigningKeys({ db, clock }: Needs<"signingKeys", "clock">): Promise<ListedKey[]> {
	const lives = livesOf(await db.stores.signingKeys.listAll(), clock());
	return lives.map((life) => ({ kid: life.key.kid, state: life.state, description: describeLife(life) }));
}

export interface Rotation {
	readonly kid: string;
	readonly signsFromMs: number;
	/** Ids of the keys whose tokens are refused from now on. */
	readonly withdrawn: readonly string[];
}

/**
 * Writes the key, the audit event and, with `atOnce`, the withdrawal of every other key in one transaction.
 *
 * @throws StartError when a published key does not sign yet (not with `atOnce`, which withdraws that key too).
 */
export async function rotateSigningKey(
	{ db, secretBox, clock }: Needs<"tenants" | "signingKeys" | "audit", "secretBox" | "clock">,
	{ atOnce }: { readonly atOnce: boolean },
): Promise<Rotation> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined)
		throw new StartError("there are no keys yet; start the service once first", { kind: "not_found" });
	const now = clock();
	const signsFromMs = atOnce ? now : now + PUBLISHED_AHEAD_MS;
	const key = await createSigningKey(secretBox, now, signsFromMs);
	const { kid } = key;
	return db.transaction(async ({ signingKeys, audit }) => {
		const lives = livesOf(await signingKeys.listAll(), now);
		const withdrawn: string[] = [];
		if (atOnce) {
			for (const { key: other, state } of lives)
				if (state !== "gone" && (await signingKeys.withdraw(other.kid, now))) withdrawn.push(other.kid);
		} else refusePublished(lives);
		await signingKeys.insert(key);
		await audit.append(
			cliCaller(tenant.id),
			atOnce ? "signing_key.replaced" : "signing_key.published",
			named("signing_key", kid, ""),
			{ signs_from: isoTime(signsFromMs), ...(atOnce ? { withdrawn } : {}) },
		);
		return { kid, signsFromMs, withdrawn };
	});
}

function refusePublished(lives: ReturnType<typeof livesOf>): void {
	const next = lives.find(({ state }) => state === "next");
	if (next === undefined) return;
	throw new StartError(
		`the key ${next.key.kid} was published already and signs from ${isoTime(next.key.signsFromMs)}; rotate again after that, or with --now if a key is in the wrong hands`,
		{ kind: "refused" },
	);
}
