// Decides whether to offer a passkey after a sign-in with a password. The offer itself is loaded on demand.

import type { ComponentType } from "preact";
import { readStored } from "../stored.ts";
import { loadLaterSteps } from "./load-later-steps.ts";
import { declinedKey, hasPasskeys } from "./passkey.ts";
import type { PasskeyOfferProps } from "./step.ts";
import type { Tokens } from "./visitor-call.ts";

/** Undefined if the device cannot verify its user, or if the user declined in this browser or has a passkey. */
export async function passkeyOffer(
	tokens: Tokens,
	password: string,
): Promise<ComponentType<PasskeyOfferProps> | undefined> {
	if (!hasPasskeys() || readStored(declinedKey(tokens.user.id)) !== null) return undefined;
	if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return undefined;
	return await (await loadLaterSteps()).offerFor(tokens, password);
}
