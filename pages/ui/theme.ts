// The theme: light, dark, or the system's. The choice is stored in the browser.

import { signal } from "@preact/signals";
import { readStored, writeStored } from "../stored.ts";

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "latchkey.theme";

export const theme = signal<ThemeChoice>("system");

/** Applies the choice of an earlier visit. Called once by an entry, before it renders. */
export function restoreTheme(): void {
	const kept = readStored(KEY);
	if (kept === "light" || kept === "dark") apply(kept);
}

export function setTheme(choice: ThemeChoice): void {
	apply(choice);
	writeStored(KEY, choice);
}

function apply(choice: ThemeChoice): void {
	theme.value = choice;
	if (choice === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = choice;
}
