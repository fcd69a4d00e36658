// Decides whether to offer a passkey after a sign-in with a password. The offer itself is loaded on demand.

import type { ComponentType } from "preact";
import { readStored } from "../stored.ts";
import { loadLaterSteps } from "./load-later-steps.ts";
import { declinedKey, hasPasskeys } from "./passkey.ts";
import type { PasskeyOfferProps } from "./step.ts";
import type { Tokens } from "./visitor-call.ts";

/** Undefined without a passkey to gain: the device verifies nobody, or the user declined here or has a passkey. */
export async function passkeyOffer(
	tokens: Tokens,
	password: string,
): Promise<ComponentType<PasskeyOfferProps> | undefined> {
	if (!hasPasskeys() || readStored(declinedKey(tokens.user.id)) !== null) return undefined;
	if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return undefined;
	return await (await loadLaterSteps()).offerFor(tokens, password);
}
