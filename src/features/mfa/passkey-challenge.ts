// Challenges that passkeys sign: made, kept as a digest, used once.

import { tokenDigest } from "../../crypto/digest.ts";
import { type PasskeyParty, readCredential, type ToldCredential } from "../../crypto/passkey.ts";
import { randomToken } from "../../crypto/random.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { type ChallengePurpose, PASSKEY_CHALLENGE_SECONDS, type PasskeyChallengeStore } from "./model.ts";

export interface ChallengeDeps {
	readonly db: Persistence<{ readonly passkeyChallenges: PasskeyChallengeStore }>;
	readonly clock: Clock;
	readonly party: PasskeyParty;
}

/** What a challenge is good for, and for whom. */
export interface ChallengePlace {
	readonly tenantId: string;
	readonly purpose: ChallengePurpose;
	readonly subject: string;
}

/** Options for a browser, good for `expiresInSeconds`. */
export interface AskedPasskey {
	readonly options: Record<string, unknown>;
	readonly expiresInSeconds: number;
}

/** `makeOptions` is handed the challenge, base64url, and how long it lives. */
export async function ask(
	{ db, clock }: ChallengeDeps,
	place: ChallengePlace,
	makeOptions: (asked: { challenge: string; timeoutMs: number }) => Promise<Record<string, unknown>>,
): Promise<AskedPasskey> {
	const challenge = randomToken();
	const timeoutMs = PASSKEY_CHALLENGE_SECONDS * SECOND_MS;
	const options = await makeOptions({ challenge, timeoutMs });
	const expiresAtMs = clock() + timeoutMs;
	await db.stores.passkeyChallenges.insert({
		...place,
		challengeDigest: tokenDigest(challenge),
		expiresAtMs,
	});
	return { options, expiresInSeconds: PASSKEY_CHALLENGE_SECONDS };
}

/** Uses the challenge of an answer up, right or wrong. Undefined when it was not asked here, for this, in time. */
export async function takeChallenge(
	{ db, clock }: ChallengeDeps,
	place: ChallengePlace,
	given: unknown,
): Promise<ToldCredential | undefined> {
	const told = readCredential(given);
	if (told === undefined) return undefined;
	const challengeDigest = tokenDigest(told.challenge);
	const isOurs = await db.stores.passkeyChallenges.consume({ ...place, challengeDigest }, clock());
	return isOurs ? told : undefined;
}
