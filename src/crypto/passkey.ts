// Passkeys (Web Authentication, level 3): what browsers are asked for, and whether what they answer is genuine.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";

/** Whom passkeys are made for: `rpId` is a domain, `origins` the pages on it that may ask. */
export interface PasskeyParty {
	readonly rpId: string;
	readonly origins: readonly string[];
}

/** A credential as it is named to browsers, base64url. */
export interface CredentialName {
	readonly credentialId: string;
	readonly transports: readonly string[];
}

/** What an authenticator made: to be stored. */
export interface MadePasskey extends CredentialName {
	/** COSE key, base64url. */
	readonly publicKey: string;
	readonly signCount: number;
	readonly aaguid: string;
	/** Whether it may be copied to other devices of its owner. */
	readonly synced: boolean;
}

export interface VerifiedAssertion {
	readonly signCount: number;
	/** Whether the authenticator knew its owner by a PIN, finger or face; that somebody was there it always says. */
	readonly userVerified: boolean;
	readonly synced: boolean;
}

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORT = /^[a-z-]{1,20}$/;
const TRANSPORTS_MAX = 10;

/** Read from disk only where passkeys are used. */
const library = () => import("@simplewebauthn/server");

/**
 * For `navigator.credentials.create`: plain JSON (`parseCreationOptionsFromJSON`). `challenge` is base64url; the user handle,
 * base64url too, is how the authenticator knows the account again.
 */
export async function enrolmentOptions(asked: {
	readonly party: PasskeyParty;
	readonly challenge: string;
	readonly userHandle: string;
	readonly userName: string;
	readonly displayName: string;
	readonly exclude: readonly CredentialName[];
	readonly timeoutMs: number;
}): Promise<Record<string, unknown>> {
	const { generateRegistrationOptions } = await library();
	const options = await generateRegistrationOptions({
		rpName: asked.party.rpId,
		rpID: asked.party.rpId,
		challenge: bytesOf(asked.challenge),
		userID: bytesOf(asked.userHandle),
		userName: asked.userName,
		userDisplayName: asked.displayName,
		timeout: asked.timeoutMs,
		attestationType: "none",
		excludeCredentials: asked.exclude.map(toDescriptor),
		authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
		supportedAlgorithmIDs: ALGORITHMS,
	});
	return { ...options };
}

/** What the browser made for the challenge, or undefined: another challenge, origin or party, a broken statement. */
export async function verifyEnrolment(
	party: PasskeyParty,
	credential: unknown,
	challenge: string,
): Promise<MadePasskey | undefined> {
	const { verifyRegistrationResponse } = await library();
	const given = credential as RegistrationResponseJSON;
	const verified = await orUndefined(() =>
		verifyRegistrationResponse({
			response: given,
			expectedChallenge: challenge,
			expectedOrigin: [...party.origins],
			expectedRPID: party.rpId,
			requireUserVerification: false,
			supportedAlgorithmIDs: ALGORITHMS,
		}),
	);
	if (verified?.verified !== true) return undefined;
	const { credential: made, aaguid, credentialDeviceType } = verified.registrationInfo;
	return {
		credentialId: made.id,
		publicKey: Buffer.from(made.publicKey).toString("base64url"),
		signCount: made.counter,
		transports: transportsOf(made.transports),
		aaguid,
		synced: credentialDeviceType === "multiDevice",
	};
}

/** For `navigator.credentials.get`: plain JSON (`parseRequestOptionsFromJSON`). Without `allow` people choose an account. */
export async function assertionOptions(asked: {
	readonly party: PasskeyParty;
	readonly challenge: string;
	readonly allow?: readonly CredentialName[];
	readonly userVerification: "required" | "preferred";
	readonly timeoutMs: number;
}): Promise<Record<string, unknown>> {
	const { generateAuthenticationOptions } = await library();
	const options = await generateAuthenticationOptions({
		rpID: asked.party.rpId,
		challenge: bytesOf(asked.challenge),
		timeout: asked.timeoutMs,
		userVerification: asked.userVerification,
		...(asked.allow === undefined ? {} : { allowCredentials: asked.allow.map(toDescriptor) }),
	});
	return { ...options };
}

/**
 * Undefined unless the key signed this challenge for this party on one of its pages, with somebody there. That the
 * signature count rises is for the caller to see to, in the moment it is stored.
 */
export async function verifyAssertion(
	party: PasskeyParty,
	assertion: unknown,
	challenge: string,
	{ credentialId, publicKey }: { readonly credentialId: string; readonly publicKey: string },
	userVerification: "required" | "preferred",
): Promise<VerifiedAssertion | undefined> {
	const { verifyAuthenticationResponse } = await library();
	const given = assertion as AuthenticationResponseJSON;
	const verified = await orUndefined(() =>
		verifyAuthenticationResponse({
			response: given,
			expectedChallenge: challenge,
			expectedOrigin: [...party.origins],
			expectedRPID: party.rpId,
			credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: 0 },
			requireUserVerification: userVerification === "required",
		}),
	);
	if (verified?.verified !== true || given.id !== credentialId) return undefined;
	const { newCounter, userVerified, credentialDeviceType } = verified.authenticationInfo;
	return { signCount: newCounter, userVerified, synced: credentialDeviceType === "multiDevice" };
}

/** What an answer of a browser says of itself, unproved: which challenge it is for, which credential and user it is of. */
export interface ToldCredential {
	readonly challenge: string;
	readonly credentialId: string;
	readonly userHandle: string | undefined;
}

/** Undefined when it is none. */
export function readCredential(given: unknown): ToldCredential | undefined {
	try {
		const { id, response } = given as AuthenticationResponseJSON;
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

/** The library throws whatever is wrong with an answer, and whatever shape it has: all of it is a refusal. */
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

function transportsOf(given: unknown): string[] {
	if (!Array.isArray(given)) return [];
	return given
		.filter((name): name is string => typeof name === "string" && TRANSPORT.test(name))
		.slice(0, TRANSPORTS_MAX);
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(Buffer.from(base64url, "base64url"));
}
