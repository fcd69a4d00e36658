// Passkeys of this browser, in the API's JSON format.

import { ApiError } from "../api/error.ts";
import { creationOptionsOf, credentialJson, requestOptionsOf } from "./passkey-json.ts";

/** Browsers have passkeys for domains only. */
const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/;

export function hasPasskeys(): boolean {
	return typeof PublicKeyCredential === "function" && !IP_ADDRESS.test(location.hostname);
}

/** The browser offers passkeys in the autofill of a username field. */
export async function hasPasskeyAutofill(): Promise<boolean> {
	return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/** The browser can create a passkey after a sign-in with a saved password, without a question. */
export async function createsAutomatically(): Promise<boolean> {
	return hasPasskeys() && (await PublicKeyCredential.getClientCapabilities?.())?.conditionalCreate === true;
}

/** Where this browser stores that it tried to create a passkey without a question: the next sign-in asks. */
export const triedKey = (userId: string): string => `latchkey.passkey-tried.${userId}`;

/** Where this browser stores that a user declined a passkey. */
export const declinedKey = (userId: string): string => `latchkey.passkey-declined.${userId}`;

interface AskOptions {
	readonly signal?: AbortSignal;
	/** Waits for a choice in the autofill, without a dialog. */
	readonly isAutofill?: boolean;
}

/**
 * The assertion of a passkey.
 *
 * @throws ApiError `passkey.cancelled`, `passkey.unusable`; the reason of `signal`.
 */
export async function askPasskey(
	options: unknown,
	{ signal, isAutofill = false }: AskOptions = {},
): Promise<Record<string, unknown>> {
	const request: CredentialRequestOptions = {
		publicKey: requestOptionsOf(options),
		...(isAutofill && { mediation: "conditional" }),
		...(signal !== undefined && { signal }),
	};
	return toJson(await navigator.credentials.get(request).catch((error) => refuse(error, signal)));
}

/**
 * The credential of a new passkey. With `isAutomatic`, the browser decides without a question.
 *
 * @throws ApiError `passkey.cancelled`, `passkey.enrolled`, `passkey.unusable`
 */
export async function createPasskey(
	options: unknown,
	{ isAutomatic = false } = {},
): Promise<Record<string, unknown>> {
	const publicKey = creationOptionsOf(options);
	const request = { publicKey, ...(isAutomatic && { mediation: "conditional" as const }) };
	return toJson(await navigator.credentials.create(request).catch(refuse));
}

function toJson(credential: Credential | null): Record<string, unknown> {
	if (!(credential instanceof PublicKeyCredential)) throw new ApiError(0, "passkey.cancelled", "no passkey");
	return credentialJson(credential);
}

/** The browser does not distinguish a cancellation from a missing passkey. */
function refuse(error: unknown, signal?: AbortSignal): never {
	if (signal?.aborted === true) throw signal.reason;
	if (!(error instanceof DOMException)) throw error;
	const codes: Readonly<Record<string, string>> = {
		NotAllowedError: "passkey.cancelled",
		AbortError: "passkey.cancelled",
		InvalidStateError: "passkey.enrolled",
	};
	throw new ApiError(0, codes[error.name] ?? "passkey.unusable", error.message);
}
