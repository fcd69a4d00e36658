// How well a name matches what the user typed.

/** @returns 0 if they are equal; 1 if it begins so, 2 if a word of it does; 3 if it contains it; otherwise 4. */
export function rankOf(name: string, typed: string): 0 | 1 | 2 | 3 | 4 {
	const [text, wanted] = [folded(name), folded(typed.trim())];
	if (text === wanted) return 0;
	if (text.startsWith(wanted)) return 1;
	let rank: 3 | 4 = 4;
	for (let at = text.indexOf(wanted); at > 0; at = text.indexOf(wanted, at + 1)) {
		if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return 2;
		rank = 3;
	}
	return rank;
}

/** Like the search of the service: without case and accents. */
function folded(text: string): string {
	return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLocaleLowerCase();
}
