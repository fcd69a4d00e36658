// Recovery codes: sign-in for users who lost their second factor.

import { randomBytes } from "node:crypto";
import { typedCode } from "../kernel/typed-code.ts";
import { tokenDigest } from "./digest.ts";

/** Crockford's base32: no I, L, O and U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 24;
const GROUP = 4;

/**
 * 120 random bits as six groups of four characters, `7G2K-…`: enough against guessing, and for storing a plain digest
 * (NIST SP 800-63B requires 112).
 */
export function issueRecoveryCode(): string {
	// 256 is a multiple of 32: each character is equally likely.
	const characters = Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]);
	const groups = characters.map((character, index) =>
		index > 0 && index % GROUP === 0 ? `-${character}` : character,
	);
	return groups.join("");
}

/**
 * The stored form of a code as typed: ignores case, dashes, and spaces; O counts as 0, I and L as 1. Undefined for text
 * that cannot be a code.
 */
export function recoveryCodeDigest(typed: string): string | undefined {
	const code = typedCode(typed).toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
	const isCode = code.length === CHARACTERS && [...code].every((character) => ALPHABET.includes(character));
	return isCode ? tokenDigest(code) : undefined;
}
