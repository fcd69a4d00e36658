// Sign-ins: outcomes, pending second factors, and known devices.

import type { IssuedTokens } from "./session.ts";
import type { Tenant } from "./tenant.ts";

/** Maximum length in a body. Longer than any valid password, so that the error states the limit of passwords. */
export const PASSWORD_TEXT_MAX = 1_024;

export const SECOND_FACTOR_METHODS = ["totp", "recovery_code", "passkey"] as const;
export type SecondFactorMethod = (typeof SECOND_FACTOR_METHODS)[number];

/** A first factor was authenticated. A second one is required before a session is opened. */
export interface SecondFactorDue {
	/** 256 bits, stored as a digest. Valid for `MFA_TOKEN_SECONDS`, `MFA_TOKEN_TRIES` wrong codes and one sign-in. */
	readonly mfaToken: string;
	readonly expiresInSeconds: number;
	/** The methods the user has enrolled; empty when `enrolmentRequired`. */
	readonly methods: readonly SecondFactorMethod[];
	/** No factor is enrolled, but the tenant or application requires one: the token only permits enrollment. */
	readonly enrolmentRequired: boolean;
	/** Whether the user may notify the administrators that no factor is at hand. */
	readonly helpOffered: boolean;
}

/** The outcome of an authenticated factor. */
export type SignInOutcome = { readonly tokens: IssuedTokens } | { readonly secondFactor: SecondFactorDue };

/** Only who has entered the correct password in this sign-in may cause a mail to the administrators. */
export function isHelpOffered(
	tenant: Tenant | undefined,
	{ amr, enrolment }: Pick<PendingSignIn, "amr" | "enrolment">,
): boolean {
	return tenant?.secondFactorHelp === true && amr.includes("pwd") && !enrolment;
}

export const MFA_TOKEN_SECONDS = 600;
export const MFA_TOKEN_TRIES = 5;

/** A sign-in that waits for its second factor. */
export interface PendingSignIn {
	/** `tokenDigest` of the `mfa_token`. */
	readonly tokenDigest: string;
	readonly tenantId: string;
	readonly userId: string;
	readonly appId: string | null;
	/** Methods authenticated so far, RFC 8176. */
	readonly amr: readonly string[];
	/** Of the session to open, see there. */
	readonly provider: string | null;
	/** See `SecondFactorDue.enrolmentRequired`. */
	readonly enrolment: boolean;
	readonly expiresAtMs: number;
	readonly createdAtMs: number;
}

export interface PendingSignInStore {
	insert(pending: PendingSignIn): Promise<void>;
	/** Undefined when it expired, was consumed, or has no tries left. */
	find(tokenDigest: string, nowMs: number): Promise<PendingSignIn | undefined>;
	/**
	 * Counts a try before the code is checked, so parallel tries cannot exceed `MFA_TOKEN_TRIES`.
	 *
	 * @returns whether a try was left.
	 */
	takeTry(tokenDigest: string, nowMs: number): Promise<boolean>;
	/** @returns true for exactly one caller. */
	consume(tokenDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** A device not used for this long counts as new. */
export const DEVICE_KNOWN_DAYS = 90;

/** Recently used devices, as keyed digests. */
export interface KnownDeviceStore {
	/** Inside a transaction. @returns whether it was known; of concurrent calls for a new one, one returns false. */
	note(tenantId: string, userId: string, deviceDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired devices, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}
