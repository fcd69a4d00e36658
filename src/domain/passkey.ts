// Passkeys (WebAuthn credentials) and their challenges.

import type { Page, PageQuery } from "../kernel/page.ts";

export const PASSKEYS_MAX = 20;
export const PASSKEY_NAME_MAX = 100;
export const PASSKEY_CHALLENGE_SECONDS = 300;

export interface Passkey {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Chosen by its owner, at most `PASSKEY_NAME_MAX` characters. */
	readonly name: string;
	/** base64url, chosen by the authenticator; unique in the installation. */
	readonly credentialId: string;
	/** COSE key in base64url. */
	readonly publicKey: string;
	/** The authenticator's signature counter; 0 when it has none. */
	readonly signCount: number;
	readonly transports: readonly string[];
	/** The authenticator's model; all zeros when it is not disclosed. */
	readonly aaguid: string;
	/** Whether it may exist on several devices of its owner. */
	readonly synced: boolean;
	/**
	 * Whether the browser created it after a sign-in, without a question: it signs in alone, but makes no second factor
	 * required.
	 */
	readonly automatic: boolean;
	readonly createdAtMs: number;
	readonly lastUsedAtMs: number | null;
}

export interface PasskeyStore {
	/** @returns the user's random handle; stores `fresh` as the handle when there is none. */
	handleOf(tenantId: string, userId: string, fresh: string): Promise<string>;
	/** Undefined for a user who never started to add a passkey. `declined`: the owner removed an automatic one. */
	findUser(
		tenantId: string,
		userId: string,
	): Promise<{ readonly userHandle: string; readonly declined: boolean } | undefined>;
	/** The user gets no automatic passkey from now on. */
	declineAutomatic(tenantId: string, userId: string): Promise<void>;
	/** @returns false when the credential is already enrolled. */
	insert(passkey: Passkey): Promise<boolean>;
	/** The result includes the handle of the user. */
	findByCredential(
		tenantId: string,
		credentialId: string,
	): Promise<(Passkey & { readonly userHandle: string }) | undefined>;
	listAll(tenantId: string, userId: string): Promise<Passkey[]>;
	/** Newest first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<Passkey>>;
	rename(tenantId: string, userId: string, id: string, name: string): Promise<Passkey | undefined>;
	/** @returns false when the counter did not increase and is not always 0: the key may have been cloned. */
	use(passkey: Passkey, signCount: number, nowMs: number): Promise<boolean>;
	remove(tenantId: string, userId: string, id: string): Promise<Passkey | undefined>;
}

export type ChallengePurpose = "enrolment" | "automatic_enrolment" | "sign_in" | "second_factor";

export interface PasskeyChallenge {
	/** `tokenDigest` of the challenge in the options. */
	readonly challengeDigest: string;
	readonly tenantId: string;
	readonly purpose: ChallengePurpose;
	/** Id of the user who enrolls, digest of the `mfa_token`, or `""` for a sign-in. */
	readonly subject: string;
	readonly expiresAtMs: number;
}

export interface PasskeyChallengeStore {
	insert(challenge: PasskeyChallenge): Promise<void>;
	/** @returns true for one of concurrent callers, with the same tenant, purpose, and subject, before it expires. */
	consume(challenge: Omit<PasskeyChallenge, "expiresAtMs">, nowMs: number): Promise<boolean>;
	purge(nowMs: number, limit: number): Promise<number>;
}
