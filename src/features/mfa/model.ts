// Second factors of a person: their states and limits, and what is asked of their stores.

import type { Page, PageQuery } from "../../kernel/page.ts";

/** How long an enrolment waits for its first code. */
export const TOTP_PENDING_SECONDS = 900;
export const RECOVERY_CODES = 10;
/** With so many left, or fewer, the mail that tells of a used code asks for new ones. */
export const RECOVERY_CODES_FEW = 3;
/** A sign-in this old may change second factors without the password. */
export const FRESH_SIGN_IN_SECONDS = 300;

export const PASSKEYS_MAX = 20;
export const PASSKEY_NAME_MAX = 100;
export const PASSKEY_CHALLENGE_SECONDS = 300;

/** What a person has enrolled. Recovery codes are no factor by themselves: they stand in for one. */
export interface EnrolledFactors {
	readonly totp: boolean;
	readonly passkeys: number;
	/** Not used yet. */
	readonly recoveryCodes: number;
}

export function hasFactor({ totp, passkeys }: EnrolledFactors): boolean {
	return totp || passkeys > 0;
}

/** All second factors of a user together. */
export interface SecondFactorStore {
	findEnrolled(tenantId: string, userId: string): Promise<EnrolledFactors>;
	/** Whether the tenant, or the application when one is named, wants everybody to have a second factor. */
	isRequired(tenantId: string, appId: string | null): Promise<boolean>;
	/** Inside a transaction, before factors are changed: changes of one user's factors come one after the other. */
	lock(tenantId: string, userId: string): Promise<void>;
	/**
	 * Inside the transaction, after a change: writes down on the user whether a factor is enrolled; without one the recovery
	 * codes go too. @returns what is enrolled now.
	 */
	settle(tenantId: string, userId: string): Promise<EnrolledFactors>;
	/** Inside a transaction: removes every factor, those that wait for confirmation, and the recovery codes. */
	removeAll(tenantId: string, userId: string): Promise<void>;
	/** As `removeAll`, of those enrolled at or after a time; `settle` says what is left. */
	removeSince(tenantId: string, userId: string, fromMs: number): Promise<void>;
}

export interface TotpFactor {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Opens with `totpContext(id)` to base32. */
	readonly secretSealed: string;
	readonly createdAtMs: number;
}

export function totpContext(id: string): string {
	return `totp:${id}`;
}

export interface TotpStore {
	/** Inside a transaction: takes the place of one that waits; an active one stays as it is. */
	putPending(factor: TotpFactor, expiresAtMs: number): Promise<void>;
	findPending(tenantId: string, userId: string, nowMs: number): Promise<TotpFactor | undefined>;
	findActive(tenantId: string, userId: string): Promise<TotpFactor | undefined>;
	/**
	 * Inside a transaction: makes the waiting factor the active one, its first code used; the active one before it goes.
	 * @returns false when it does not wait any more: then the transaction must be undone.
	 */
	activate(factor: TotpFactor, step: number, nowMs: number): Promise<boolean>;
	/** Uses a code up. @returns false when it, or a later one, was used before. */
	useStep(factor: TotpFactor, step: number): Promise<boolean>;
	/** @returns whether an active one was removed; one that waits goes too. */
	remove(tenantId: string, userId: string): Promise<boolean>;
	/** Deletes enrolments nobody confirmed, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

export interface RecoveryCodeStore {
	/** Inside a transaction under `SecondFactorStore.lock`. */
	replaceAll(tenantId: string, userId: string, digests: readonly string[], nowMs: number): Promise<void>;
	/** @returns true for one caller only, however many come at once. */
	use(tenantId: string, userId: string, digest: string, nowMs: number): Promise<boolean>;
}

export interface Passkey {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Chosen by its owner, at most `PASSKEY_NAME_MAX` characters. */
	readonly name: string;
	/** base64url, as the authenticator chose it: unique in the installation. */
	readonly credentialId: string;
	/** COSE key in base64url. */
	readonly publicKey: string;
	/** As the authenticator counts its signatures; 0 when it does not. */
	readonly signCount: number;
	readonly transports: readonly string[];
	/** The authenticator's model, all zeros when it does not tell. */
	readonly aaguid: string;
	/** Whether it may live on several devices of its owner. */
	readonly synced: boolean;
	readonly createdAtMs: number;
	readonly lastUsedAtMs: number | null;
}

export interface PasskeyStore {
	/** @returns the user's handle, random, the same each time; makes it where there is none. */
	handleOf(tenantId: string, userId: string, fresh: string): Promise<string>;
	/** @returns false when the credential is enrolled already. */
	insert(passkey: Passkey): Promise<boolean>;
	/** With the handle of its user. */
	findByCredential(
		tenantId: string,
		credentialId: string,
	): Promise<(Passkey & { readonly userHandle: string }) | undefined>;
	listAll(tenantId: string, userId: string): Promise<Passkey[]>;
	/** Newest first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<Passkey>>;
	rename(tenantId: string, userId: string, id: string, name: string): Promise<Passkey | undefined>;
	/** @returns false when the count did not rise (and is not 0 for ever): the key may have been copied. */
	use(passkey: Passkey, signCount: number, nowMs: number): Promise<boolean>;
	remove(tenantId: string, userId: string, id: string): Promise<Passkey | undefined>;
}

export type ChallengePurpose = "enrolment" | "sign_in" | "second_factor";

export interface PasskeyChallenge {
	/** `tokenDigest` of the challenge as it stands in the options. */
	readonly challengeDigest: string;
	readonly tenantId: string;
	readonly purpose: ChallengePurpose;
	/** The user who enrols, the digest of the `mfa_token`, `""` for a sign-in. */
	readonly subject: string;
	readonly expiresAtMs: number;
}

export interface PasskeyChallengeStore {
	insert(challenge: PasskeyChallenge): Promise<void>;
	/** Uses it up: true for one caller only, and only for the same tenant, purpose and subject in time. */
	consume(challenge: Omit<PasskeyChallenge, "expiresAtMs">, nowMs: number): Promise<boolean>;
	purge(nowMs: number, limit: number): Promise<number>;
}
