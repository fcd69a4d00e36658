// Reads a code that a person typed or pasted, from any keyboard.

/** The code without spaces, dashes, and invisible marks, and with the digits 0 to 9 for those of every script. */
export function typedCode(text: string): string {
	return text
		.normalize("NFKC")
		.replaceAll(/[\s\p{Z}\p{Pd}\p{Cf}\u2212]/gu, "")
		.replaceAll(/\p{Nd}/gu, asciiDigit);
}

/** Unicode encodes the digits of a script in one run from zero to nine, and runs may follow each other. */
function asciiDigit(digit: string): string {
	const own = digit.codePointAt(0) ?? 0;
	let first = own;
	while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
	return String((own - first) % 10);
}
