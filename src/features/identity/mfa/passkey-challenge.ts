// Challenges that passkeys sign: stored as a digest, used once. Also verifies that a passkey signed one.

import { tokenDigest } from "../../../crypto/digest.ts";
import { type ClaimedCredential, readCredential, verifyAssertion } from "../../../crypto/passkey.ts";
import { randomToken } from "../../../crypto/random.ts";
import { PASSKEY_CHALLENGE_SECONDS, type Passkey, type PasskeyChallenge } from "../../../domain/passkey.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { parseIp } from "../../../kernel/ip.ts";
import type { Needs, Platform } from "../../platform.ts";

/** The purpose of a challenge, and the user or token that may use it. */
export type ChallengeScope = Pick<PasskeyChallenge, "tenantId" | "purpose" | "subject">;

/** Options for `navigator.credentials`, valid for `expiresInSeconds`. */
export interface PasskeyOptions {
	readonly options: Record<string, unknown>;
	readonly expiresInSeconds: number;
}

/**
 * `buildOptions` receives the challenge in base64url and its lifetime.
 *
 * @throws AppError `passkey.unavailable` if users reach the service by an IP address, for which no browser has passkeys.
 */
export async function issueChallenge(
	{ db, clock, party }: Needs<"passkeyChallenges", "clock" | "party">,
	scope: ChallengeScope,
	buildOptions: (challenge: { challenge: string; timeoutMs: number }) => Promise<Record<string, unknown>>,
): Promise<PasskeyOptions> {
	if (!hasPasskeys(party)) throw unavailable();
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

/** Web Authentication, section 5.1.2: a relying party is a domain. */
export function hasPasskeys({ rpId }: Platform["party"]): boolean {
	return parseIp(rpId) === undefined;
}

function unavailable(): AppError {
	return new AppError(
		"passkey.unavailable",
		"passkeys require that the service is reached by a host name, not by an IP address",
	);
}

/**
 * Consumes the challenge of a response, even if the response is invalid.
 *
 * @returns undefined if the response is malformed, or its challenge is unknown, expired, or of another scope.
 */
export async function consumeChallenge(
	{ db, clock }: Needs<"passkeyChallenges", "clock">,
	scope: ChallengeScope,
	response: unknown,
): Promise<ClaimedCredential | undefined> {
	const credential = readCredential(response);
	if (credential === undefined) return undefined;
	const challengeDigest = tokenDigest(credential.challenge);
	const isValid = await db.stores.passkeyChallenges.consume({ ...scope, challengeDigest }, clock());
	return isValid ? credential : undefined;
}

/** `passkey` is the one that the assertion names, if known. `proved` is undefined if the assertion is invalid. */
interface PasskeyProof {
	readonly passkey: Passkey | undefined;
	readonly proved: { readonly signCount: number; readonly amr: readonly string[] } | undefined;
}

/**
 * Consumes the challenge. With `alone`, the passkey counts as both factors: user verification and the user handle are
 * required. RFC 8176: `hwk` for a device-bound key, `swk` for a synced one, `user`, `mfa`.
 */
export async function provePasskey(
	deps: Needs<"passkeys" | "passkeyChallenges", "clock" | "party">,
	scope: ChallengeScope,
	assertion: unknown,
	{ alone }: { readonly alone: boolean },
): Promise<PasskeyProof> {
	const credential = await consumeChallenge(deps, scope, assertion);
	const passkey =
		credential && (await deps.db.stores.passkeys.findByCredential(scope.tenantId, credential.credentialId));
	if (credential === undefined || passkey === undefined) return { passkey: undefined, proved: undefined };
	const { userHandle, challenge } = credential;
	const wrongHandle = userHandle === undefined ? alone : userHandle !== passkey.userHandle;
	if (wrongHandle) return { passkey, proved: undefined };
	const userVerification = alone ? "required" : "preferred";
	const verified = await verifyAssertion(deps.party, assertion, challenge, passkey, userVerification);
	if (verified === undefined) return { passkey, proved: undefined };
	const amr = [verified.synced ? "swk" : "hwk", "user", "mfa"];
	return { passkey, proved: { signCount: verified.signCount, amr } };
}
