// The form of a name in which searches compare it: without case, accents, and differences of width.

/** Accents, Hebrew points, and Arabic vowel signs. Marks of other scripts, such as Japanese voicing marks, are part of a letter. */
const ACCENTS = /(?!\u3099|\u309a)[\p{Mn}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Cyrillic}]]/gv;

/** Letters that Unicode does not decompose, and typographic marks, by what people type instead. */
const TYPED: Readonly<Record<string, string>> = {
	ß: "ss",
	æ: "ae",
	ð: "d",
	đ: "d",
	ħ: "h",
	ı: "i",
	ł: "l",
	ŋ: "n",
	ø: "o",
	œ: "oe",
	ŧ: "t",
	þ: "th",
	ς: "σ",
	"‘": "'",
	"’": "'",
	ʻ: "'",
	ʼ: "'",
	"‐": "-",
	"–": "-",
};
const UNTYPED = new RegExp(`[${Object.keys(TYPED).join("")}]`, "g");

/**
 * `Zoë`, `ＺＯＥ`, and `zoe` have the same form. Columns contain it, so a change of the result needs a migration that folds
 * every stored name again.
 */
export function folded(text: string): string {
	return text
		.normalize("NFKD")
		.toLowerCase()
		.replaceAll(ACCENTS, "")
		.replaceAll(UNTYPED, (letter) => TYPED[letter] ?? letter)
		.normalize("NFC");
}
