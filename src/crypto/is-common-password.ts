// Detects passwords that an attacker would guess early.

import { ENDINGS, LEAKED, STEMS, WALKS } from "./common-passwords.ts";

/** Longer entries of leaked lists are not worth guessing. */
const LONGEST = 16;
/** The longest ending, `123456789`, with a punctuation mark before it. */
const LONGEST_ENDING = 10;
/** A repetition of few characters: `aaaaaaaa`, `12341234`. */
const REPEATED = /^(.{1,4}?)\1+$/u;
const LAST_MARKS = /[!?.*@#$%&+]{1,2}$/;
const FIRST_MARK = /^[@#_.!*-]/;
const LEET: Readonly<Record<string, string>> = {
	"@": "a",
	"4": "a",
	"3": "e",
	"0": "o",
	$: "s",
	"5": "s",
	"7": "t",
};

/**
 * Whether a password is known from leaks, a keyboard pattern, a repetition, or a stem with an ending (`Sunshine2024!`,
 * `P@ssw0rd123`). Ignores case and compatibility forms (NFKC).
 */
export function isCommonPassword(passwordPlain: string): boolean {
	const folded = passwordPlain.normalize("NFKC").toLowerCase();
	if (LEAKED.has(folded)) return true;
	if (folded.length > LONGEST) return false;
	if (isStem(folded)) return true;
	const bare = folded.replace(LAST_MARKS, "");
	for (let cut = bare.length; cut >= Math.max(1, bare.length - LONGEST_ENDING); cut--) {
		const ending = bare.slice(cut).replace(FIRST_MARK, "");
		if (ENDINGS.has(ending) && isStem(bare.slice(0, cut))) return true;
	}
	return false;
}

function isStem(text: string): boolean {
	if (text.length >= 6 && (REPEATED.test(text) || WALKS.some((walk) => walk.includes(text)))) return true;
	if (STEMS.has(text)) return true;
	const letters = text.replace(/[@430$57]/g, (mark) => LEET[mark] ?? mark);
	return STEMS.has(letters.replace(/[1!|]/g, "i")) || STEMS.has(letters.replace(/[1!|]/g, "l"));
}
