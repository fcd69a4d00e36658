// Passkeys (Web Authentication, level 3): options for browsers, and verification of their responses.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";

/** The relying party: `rpId` is a domain, `origins` the origins on it that may use passkeys. */
export interface PasskeyParty {
	readonly rpId: string;
	readonly origins: readonly string[];
}

/** Identifies a credential to browsers, in base64url. */
export interface CredentialName {
	readonly credentialId: string;
	readonly transports: readonly string[];
}

/** A new credential, to be stored. */
export interface NewPasskey extends CredentialName {
	/** COSE key, base64url. */
	readonly publicKey: string;
	readonly signCount: number;
	readonly aaguid: string;
	/** Whether it may be synchronized to other devices of its owner. */
	readonly synced: boolean;
}

export interface VerifiedAssertion {
	readonly signCount: number;
	/** Whether the authenticator verified its user by PIN, fingerprint, or face; user presence is always required. */
	readonly userVerified: boolean;
	readonly synced: boolean;
}

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORT = /^[a-z-]{1,20}$/;
const TRANSPORTS_MAX = 10;

/** Loaded only when passkeys are used. */
const library = () => import("@simplewebauthn/server");

/**
 * Options for `navigator.credentials.create`, as JSON (`parseCreationOptionsFromJSON`). `challenge` is base64url; so is
 * the user handle, by which the authenticator recognizes the account.
 */
export async function enrolmentOptions(input: {
	readonly party: PasskeyParty;
	readonly challenge: string;
	readonly userHandle: string;
	readonly userName: string;
	readonly displayName: string;
	readonly exclude: readonly CredentialName[];
	readonly timeoutMs: number;
	/** For a creation without a question: the credential must be able to sign in alone. */
	readonly automatic?: boolean;
}): Promise<Record<string, unknown>> {
	const { generateRegistrationOptions } = await library();
	const options = await generateRegistrationOptions({
		rpName: input.party.rpId,
		rpID: input.party.rpId,
		challenge: bytesOf(input.challenge),
		userID: bytesOf(input.userHandle),
		userName: input.userName,
		userDisplayName: input.displayName,
		timeout: input.timeoutMs,
		attestationType: "none",
		excludeCredentials: input.exclude.map(toDescriptor),
		authenticatorSelection: {
			residentKey: input.automatic === true ? "required" : "preferred",
			userVerification: "preferred",
		},
		supportedAlgorithmIDs: ALGORITHMS,
	});
	return { ...options };
}

/**
 * `automatic`: the options were issued for a creation without a question, in which no user is present.
 *
 * @returns undefined for another challenge, origin, or relying party, or an invalid attestation.
 */
export async function verifyEnrolment(
	party: PasskeyParty,
	credential: unknown,
	challenge: string,
	automatic = false,
): Promise<NewPasskey | undefined> {
	const { verifyRegistrationResponse } = await library();
	const registration = credential as RegistrationResponseJSON;
	const verified = await orUndefined(() =>
		verifyRegistrationResponse({
			response: registration,
			expectedChallenge: challenge,
			expectedOrigin: [...party.origins],
			expectedRPID: party.rpId,
			requireUserPresence: !automatic,
			requireUserVerification: false,
			supportedAlgorithmIDs: ALGORITHMS,
		}),
	);
	if (verified?.verified !== true) return undefined;
	const { credential: registered, aaguid, credentialDeviceType } = verified.registrationInfo;
	return {
		credentialId: registered.id,
		publicKey: Buffer.from(registered.publicKey).toString("base64url"),
		signCount: registered.counter,
		transports: transportsOf(registered.transports),
		aaguid,
		synced: credentialDeviceType === "multiDevice",
	};
}

/**
 * Options for `navigator.credentials.get`, as JSON (`parseRequestOptionsFromJSON`). Without `allow` the user chooses.
 */
export async function assertionOptions(input: {
	readonly party: PasskeyParty;
	readonly challenge: string;
	readonly allow?: readonly CredentialName[];
	readonly userVerification: "required" | "preferred";
	readonly timeoutMs: number;
}): Promise<Record<string, unknown>> {
	const { generateAuthenticationOptions } = await library();
	const options = await generateAuthenticationOptions({
		rpID: input.party.rpId,
		challenge: bytesOf(input.challenge),
		timeout: input.timeoutMs,
		userVerification: input.userVerification,
		...(input.allow === undefined ? {} : { allowCredentials: input.allow.map(toDescriptor) }),
	});
	return { ...options };
}

/**
 * Undefined unless the key signed this challenge for this relying party on one of its origins, with user presence. The
 * caller must check that the signature count rises, atomically with storing it.
 */
export async function verifyAssertion(
	party: PasskeyParty,
	assertion: unknown,
	challenge: string,
	{ credentialId, publicKey }: { readonly credentialId: string; readonly publicKey: string },
	userVerification: "required" | "preferred",
): Promise<VerifiedAssertion | undefined> {
	const { verifyAuthenticationResponse } = await library();
	const signed = assertion as AuthenticationResponseJSON;
	const verified = await orUndefined(() =>
		verifyAuthenticationResponse({
			response: signed,
			expectedChallenge: challenge,
			expectedOrigin: [...party.origins],
			expectedRPID: party.rpId,
			credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: 0 },
			requireUserVerification: userVerification === "required",
		}),
	);
	if (verified?.verified !== true || signed.id !== credentialId) return undefined;
	const { newCounter, userVerified, credentialDeviceType } = verified.authenticationInfo;
	return { signCount: newCounter, userVerified, synced: credentialDeviceType === "multiDevice" };
}

/** The unverified claims of a browser's response: its challenge, credential, and user. */
export interface ClaimedCredential {
	readonly challenge: string;
	readonly credentialId: string;
	readonly userHandle: string | undefined;
}

/** Undefined for anything that is not such a response. */
export function readCredential(credential: unknown): ClaimedCredential | undefined {
	try {
		const { id, response } = credential as AuthenticationResponseJSON;
		const clientData = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString("utf8"));
		const { challenge } = clientData as { challenge?: unknown };
		if (typeof id !== "string" || typeof challenge !== "string") return undefined;
		const { userHandle } = response;
		return {
			challenge,
			credentialId: id,
			userHandle: typeof userHandle === "string" ? userHandle : undefined,
		};
	} catch {
		return undefined;
	}
}

/** The library throws an error for every invalid response, and each means a refusal. */
async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
	try {
		return await work();
	} catch {
		return undefined;
	}
}

function toDescriptor({ credentialId, transports }: CredentialName) {
	return { id: credentialId, transports: [...transports] };
}

function transportsOf(transports: unknown): string[] {
	if (!Array.isArray(transports)) return [];
	return transports
		.filter((name): name is string => typeof name === "string" && TRANSPORT.test(name))
		.slice(0, TRANSPORTS_MAX);
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(Buffer.from(base64url, "base64url"));
}
