// Checks text that a stranger writes and others read: no character is invisible or changes the direction of the text.

import { type Problem, problem } from "./field-reason.ts";

/** A name is one line with a visible letter or digit; `lines` may contain line feeds and tabs. */
export type ShownText = "name" | "line" | "lines";

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const HIDDEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/**
 * U+200C and U+200D where they shape what is shown: between letters (Persian, Hindi, Bengali), after a virama that ends a
 * word (Malayalam), and within an emoji. Marks that are invisible themselves, such as variation selectors, are no letters.
 */
const JOINERS =
	/(?<=[[\p{L}\p{M}]--\p{Default_Ignorable_Code_Point}])[\u200c\u200d](?=[[\p{L}\p{M}]--\p{Default_Ignorable_Code_Point}])|(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])\u200d(?!\p{Default_Ignorable_Code_Point})|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gv;
/** Fillers of Hangul are letters, and invisible. */
const VISIBLE = /[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]/v;

/** Why others may not see the text; undefined for empty text, whose length another rule limits. */
export function shownTextProblem(text: string, kind: ShownText): Problem | undefined {
	const [hidden] = text.replaceAll(JOINERS, "").match(kind === "lines" ? HIDDEN_IN_LINES : HIDDEN) ?? [];
	if (hidden !== undefined) {
		const point = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
		return problem("hidden_character", { character: `U+${point}` });
	}
	const isName = kind === "name" && text.trim() !== "";
	return isName && !VISIBLE.test(text) ? problem("no_visible_character") : undefined;
}

/** For text that is shown although another system wrote it: replaces every hidden character. */
export function withoutHidden(
	text: string,
	kind: "line" | "lines",
	replace: (hidden: string) => string,
): string {
	const parts = text
		.split(JOINERS)
		.map((part) => part.replaceAll(kind === "lines" ? HIDDEN_IN_LINES : HIDDEN, replace));
	const joiners = text.match(JOINERS) ?? [];
	return parts.map((part, at) => part + (joiners[at] ?? "")).join("");
}
