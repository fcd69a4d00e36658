// Recovery codes: what lets somebody in who has lost the second factor.

import { randomBytes } from "node:crypto";
import { tokenDigest } from "./digest.ts";

/** Crockford's base32: no I, L, O and U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 24;
const GROUP = 4;

/**
 * 120 random bits as six groups of four characters, `7G2K-…`: enough that a plain digest of one tells nothing (NIST SP
 * 800-63B wants 112), and as a guess none is worth counting.
 */
export function issueRecoveryCode(): string {
	// 256 is a multiple of 32: each character is equally likely.
	const characters = Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]);
	return characters
		.join("")
		.match(new RegExp(`.{${GROUP}}`, "g"))
		?.join("-") as string;
}

/**
 * What is stored of a code, however it is typed: case, dashes and space do not matter, O counts as 0, I and L as 1.
 * Undefined when it cannot be one.
 */
export function recoveryCodeDigest(typed: string): string | undefined {
	const code = typed.toUpperCase().replaceAll(/[-\s]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
	const isCode = code.length === CHARACTERS && [...code].every((character) => ALPHABET.includes(character));
	return isCode ? tokenDigest(code) : undefined;
}
