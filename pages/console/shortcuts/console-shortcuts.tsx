// The shortcuts of every screen, and their help.

import { useWords } from "../../words/words.ts";
import { isHelpShown, useShortcutKeys, useShortcuts } from "./shortcuts.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";

export function ConsoleShortcuts() {
	const { shortcuts: t } = useWords("console");
	useShortcutKeys();
	useShortcuts(
		[
			{
				key: "/",
				does: t.search,
				run: () => searchField()?.focus(),
				isUsable: () => searchField() !== undefined,
			},
			{ key: "?", does: t.help, run: showShortcuts },
		],
		"console",
	);
	return isHelpShown.value ? <ShortcutsDialog /> : null;
}

export function showShortcuts(): void {
	isHelpShown.value = true;
}

/** The first search box of the screen. */
function searchField(): HTMLInputElement | undefined {
	const fields = [...document.querySelectorAll<HTMLInputElement>("main input[type=search]")];
	return fields.find((field) => field.checkVisibility());
}
