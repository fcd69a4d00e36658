// Time-based one-time codes (RFC 6238) of authenticator apps: SHA-1, six digits, 30 seconds.

import { Secret, TOTP } from "otpauth";

export const TOTP_DIGITS = 6;
const PERIOD_SECONDS = 30;
/** The length of the hash, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
const CODES = { algorithm: "SHA1", digits: TOTP_DIGITS, period: PERIOD_SECONDS };
/** Steps accepted before and after the current one, for clock drift and slow typing. */
const WINDOW = 1;
const CODE = /^[0-9]{6}$/;

/** 160 random bits as 32 characters of base32. */
export function issueTotpSecret(): string {
	return new Secret({ size: SECRET_BYTES }).base32;
}

/** The content of the QR code for an authenticator app: `otpauth://totp/…`, including the secret. */
export function totpUri(
	secretBase32: string,
	{ issuer, account }: { issuer: string; account: string },
): string {
	const secret = Secret.fromBase32(secretBase32);
	return new TOTP({ issuer, label: account, secret, ...CODES }).toString();
}

export function totpCode(secretBase32: string, atMs: number): string {
	return TOTP.generate({ secret: Secret.fromBase32(secretBase32), ...CODES, timestamp: atMs });
}

/**
 * The step (30 seconds each since the epoch) of a code, at most one away from the current one; undefined for a wrong
 * code. Compares in constant time. The caller must accept each step only once (RFC 6238, section 5.2).
 */
export function verifyTotp(secretBase32: string, code: string, nowMs: number): number | undefined {
	if (!CODE.test(code)) return undefined;
	const secret = Secret.fromBase32(secretBase32);
	const delta = TOTP.validate({ token: code, secret, ...CODES, timestamp: nowMs, window: WINDOW });
	return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp: nowMs }) + delta;
}
