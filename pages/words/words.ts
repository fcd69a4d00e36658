// Words of the pages, by area, in the chosen language: one language is loaded at a time.

import { signal } from "@preact/signals";
import { AREAS, type Area, type Texts } from "./areas.ts";
import { isolating } from "./isolate.ts";
import { type Language, language, rememberLanguage } from "./language.ts";

export type { Area };
export type WordsOf<A extends Area> = Texts[A];

/** A signal, so that components redraw when the language changes. */
const loaded = signal<ReadonlyMap<Area, unknown>>(new Map());

/** Loads areas in the current language; call before rendering a component that uses them. */
export async function loadWords(areas: readonly Area[]): Promise<void> {
	const missing = areas.filter((area) => !loaded.value.has(area));
	if (missing.length === 0) return;
	const into = language.value;
	const texts = await load(missing, into);
	if (language.value !== into) return loadWords(areas);
	loaded.value = new Map([...loaded.value, ...texts]);
}

/** Changes the language in place; typed input is kept. */
export async function changeLanguage(next: Language): Promise<void> {
	const texts = await load([...loaded.value.keys()], next);
	// Areas loaded in the meantime are in the previous language.
	if (texts.size < loaded.value.size) return changeLanguage(next);
	language.value = next;
	loaded.value = texts;
	markDocument();
}

/** Like `changeLanguage`, and remembers the choice in this browser. */
export async function chooseLanguage(next: Language): Promise<void> {
	await changeLanguage(next);
	rememberLanguage(next);
}

/** The words of an area if it is loaded, for rarely needed texts. */
export function findWords<A extends Area>(area: A): WordsOf<A> | undefined {
	return loaded.value.get(area) as WordsOf<A> | undefined;
}

/** The words of an area; texts with values are functions. */
export function useWords<A extends Area>(area: A): WordsOf<A> {
	const texts = findWords(area);
	if (texts === undefined)
		throw new Error(`words of ${area} are not loaded: name the area where the screen is started`);
	return texts;
}

/** For screen readers, hyphenation and fonts. */
export function markDocument(): void {
	document.documentElement.lang = language.value;
	document.documentElement.dir = "ltr";
}

async function load(areas: readonly Area[], into: Language): Promise<Map<Area, unknown>> {
	const modules = await Promise.all(areas.map((area) => AREAS[area][into]()));
	return new Map(areas.map((area, index) => [area, isolating(modules[index]?.default)]));
}
