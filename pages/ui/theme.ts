// The theme: light, dark, or the system's. The choice is stored in the browser.

import { signal } from "@preact/signals";

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "latchkey.theme";

export const theme = signal<ThemeChoice>("system");

/** Applies the choice of an earlier visit. Called once by an entry, before it renders. */
export function restoreTheme(): void {
	const kept = read();
	if (kept === "light" || kept === "dark") apply(kept);
}

export function setTheme(choice: ThemeChoice): void {
	apply(choice);
	try {
		localStorage.setItem(KEY, choice);
	} catch (error) {
		// If the browser blocks storage, the choice applies to this page only.
		if (!(error instanceof DOMException)) throw error;
	}
}

function read(): string | null {
	try {
		return localStorage.getItem(KEY);
	} catch (error) {
		if (error instanceof DOMException) return null;
		throw error;
	}
}

function apply(choice: ThemeChoice): void {
	theme.value = choice;
	if (choice === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = choice;
}
