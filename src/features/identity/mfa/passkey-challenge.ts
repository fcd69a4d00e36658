// Challenges that passkeys sign: stored as a digest, used once.

import { tokenDigest } from "../../../crypto/digest.ts";
import { readCredential, type ToldCredential } from "../../../crypto/passkey.ts";
import { randomToken } from "../../../crypto/random.ts";
import { PASSKEY_CHALLENGE_SECONDS, type PasskeyChallenge } from "../../../domain/passkey.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

/** What a challenge may be used for, and by whom. */
export type ChallengeScope = Pick<PasskeyChallenge, "tenantId" | "purpose" | "subject">;

/** Options for `navigator.credentials`, valid for `expiresInSeconds`. */
export interface PasskeyOptions {
	readonly options: Record<string, unknown>;
	readonly expiresInSeconds: number;
}

/** `buildOptions` receives the challenge in base64url and its lifetime. */
export async function issueChallenge(
	{ db, clock }: Needs<"passkeyChallenges", "clock">,
	scope: ChallengeScope,
	buildOptions: (challenge: { challenge: string; timeoutMs: number }) => Promise<Record<string, unknown>>,
): Promise<PasskeyOptions> {
	const challenge = randomToken();
	const timeoutMs = PASSKEY_CHALLENGE_SECONDS * SECOND_MS;
	const options = await buildOptions({ challenge, timeoutMs });
	const expiresAtMs = clock() + timeoutMs;
	await db.stores.passkeyChallenges.insert({
		...scope,
		challengeDigest: tokenDigest(challenge),
		expiresAtMs,
	});
	return { options, expiresInSeconds: PASSKEY_CHALLENGE_SECONDS };
}

/**
 * Consumes the challenge of a response, valid or not.
 *
 * @returns undefined when the response is malformed, or its challenge is unknown, expired, or of another scope.
 */
export async function consumeChallenge(
	{ db, clock }: Needs<"passkeyChallenges", "clock">,
	scope: ChallengeScope,
	response: unknown,
): Promise<ToldCredential | undefined> {
	const credential = readCredential(response);
	if (credential === undefined) return undefined;
	const challengeDigest = tokenDigest(credential.challenge);
	const isValid = await db.stores.passkeyChallenges.consume({ ...scope, challengeDigest }, clock());
	return isValid ? credential : undefined;
}
