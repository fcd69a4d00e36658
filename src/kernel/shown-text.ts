// Checks text that a stranger writes and others read: no character is invisible or changes the direction of the text.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const HIDDEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
/** U+200C and U+200D where they shape what is shown: between letters (Persian, Hindi), and within an emoji. */
const JOINERS =
	/(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu;
/** Fillers of Hangul are letters, and invisible. */
const VISIBLE = /[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]/v;

/** The first hidden character, as `U+202E`. With `lines`, the text may contain line feeds and tabs. */
export function hiddenCharacter(text: string, lines?: "lines"): string | undefined {
	const found = (lines === undefined ? HIDDEN : HIDDEN_IN_LINES).exec(text.replaceAll(JOINERS, ""));
	const point = found?.[0].codePointAt(0);
	return point === undefined ? undefined : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Whether a name has a visible letter or digit. */
export function isReadableName(text: string): boolean {
	return VISIBLE.test(text);
}
