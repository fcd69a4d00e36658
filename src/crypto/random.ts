// Random secrets from the operating system's generator, without bias.

import { randomBytes, randomInt } from "node:crypto";

/** Letters and digits without lookalikes: no 0 O, no 1 I l. */
const READABLE = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const PASSWORD_LENGTH = 20;
/** `randomInt` supports ranges up to 2^48. */
const MAX_DIGITS = 14;

/** 256 bits as 43 base64url characters: refresh, claim, and reset tokens, the random part of a Secret. */
export function randomToken(): string {
	return randomBytes(32).toString("base64url");
}

/**
 * `count` decimal digits (1 to 14), leading zeros included, each value equally likely.
 *
 * @throws RangeError for any other count.
 */
export function randomDigits(count: number): string {
	if (!Number.isInteger(count) || count < 1 || count > MAX_DIGITS)
		throw new RangeError("count must be 1 to 14");
	return randomInt(10 ** count)
		.toString()
		.padStart(count, "0");
}

/** 20 characters that are easy to read and type, 116 bits: the first administrator's password. */
export function randomPassword(): string {
	let password = "";
	while (password.length < PASSWORD_LENGTH) password += READABLE[randomInt(READABLE.length)];
	return password;
}

/** A key: 32 random bytes. */
export function randomBytes32(): Buffer {
	return randomBytes(32);
}
