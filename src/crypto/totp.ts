// Time-based one-time codes (RFC 6238), as authenticator apps make them: SHA-1, six digits, thirty seconds.

import { Secret, TOTP } from "otpauth";

export const TOTP_DIGITS = 6;
const PERIOD_SECONDS = 30;
/** As RFC 4226 recommends: the length of the hash. */
const SECRET_BYTES = 20;
const ALGORITHM = "SHA1";
/** Steps before and after the present one that are taken too: clocks differ, and people type slowly. */
const WINDOW = 1;
const CODE = /^[0-9]{6}$/;

/** 160 random bits as 32 characters of base32. */
export function issueTotpSecret(): string {
	return new Secret({ size: SECRET_BYTES }).base32;
}

/** What an authenticator app reads from a QR code: `otpauth://totp/…`, with the secret in it. */
export function totpUri(
	secretBase32: string,
	{ issuer, account }: { issuer: string; account: string },
): string {
	const secret = Secret.fromBase32(secretBase32);
	return new TOTP({
		issuer,
		label: account,
		secret,
		algorithm: ALGORITHM,
		digits: TOTP_DIGITS,
		period: PERIOD_SECONDS,
	}).toString();
}

/** The code of a moment. */
export function totpCode(secretBase32: string, atMs: number): string {
	const secret = Secret.fromBase32(secretBase32);
	return TOTP.generate({
		secret,
		algorithm: ALGORITHM,
		digits: TOTP_DIGITS,
		period: PERIOD_SECONDS,
		timestamp: atMs,
	});
}

/**
 * The step (thirty seconds each since the epoch) a code belongs to, the present one or one beside it; undefined when it
 * is wrong. That a step is used once is for the caller to see to: RFC 6238, 5.2. Compares in constant time.
 */
export function verifyTotp(secretBase32: string, code: string, nowMs: number): number | undefined {
	if (!CODE.test(code)) return undefined;
	const delta = TOTP.validate({
		token: code,
		secret: Secret.fromBase32(secretBase32),
		algorithm: ALGORITHM,
		digits: TOTP_DIGITS,
		period: PERIOD_SECONDS,
		timestamp: nowMs,
		window: WINDOW,
	});
	return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp: nowMs }) + delta;
}
