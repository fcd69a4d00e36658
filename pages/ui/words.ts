// Texts inside components. The start of a document sets their source.

import type en from "../words/ui/en.ts";

/** Every text that a component shows by itself, and the texts that screens share. */
type UiWords = typeof en;

let read: (() => UiWords) | undefined;

/** `source` returns the words of the current language; reading a signal in it redraws the components on change. */
export function setUiWords(source: () => UiWords): void {
	read = source;
}

/** @throws Error before `setUiWords`. */
export function uiWords(): UiWords {
	if (read === undefined) throw new Error("setUiWords must be called before the first render");
	return read();
}
