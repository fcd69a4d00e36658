// The language of the pages: the user's, else the one chosen in this browser, else the one an application requests, else the
// browser's, else English.

import { signal } from "@preact/signals";
import { readStored, writeStored } from "../stored.ts";

export type Language = "en" | "zh-CN";

/** Each language by its own name, for the switch. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: "English", "zh-CN": "中文" };

const CHOICE = "latchkey.language";

export const language = signal<Language>(chosenLanguage());

export function languageOf(tag: string | null | undefined): Language | undefined {
	if (tag === null || tag === undefined) return undefined;
	if (/^zh\b/i.test(tag)) return "zh-CN";
	return /^en\b/i.test(tag) ? "en" : undefined;
}

/** The language to change to for a user; undefined if it is already shown or the user has none. */
export function showLanguageOf(locale: string | null | undefined): Language | undefined {
	const preferred = languageOf(locale);
	return preferred === language.value ? undefined : preferred;
}

/** The language that an application requests; undefined if the user has chosen one. */
export function requestedLanguage(tags: readonly string[]): Language | undefined {
	if (readStored(CHOICE) !== null) return undefined;
	return showLanguageOf(tags.find((tag) => languageOf(tag) !== undefined));
}

/** Remembered in this browser. */
export function rememberLanguage(chosen: Language): void {
	writeStored(CHOICE, chosen);
}

function chosenLanguage(): Language {
	const remembered = languageOf(readStored(CHOICE));
	return remembered ?? navigator.languages.map(languageOf).find((known) => known !== undefined) ?? "en";
}
