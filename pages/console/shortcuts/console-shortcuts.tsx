// The shortcuts of every screen, and their help.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Checkbox } from "../../ui/choice.tsx";
import { commandKey } from "../../ui/command-key.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import type { ScreenLink } from "../palette/find-entries.ts";
import {
	hasShortcuts,
	isHelpShown,
	setShortcuts,
	usableShortcuts,
	useShortcutKeys,
	useShortcuts,
} from "./shortcuts.ts";
import "./shortcuts-dialog.css";

interface ConsoleShortcutsProps {
	/** Of the navigation, for the palette. */
	readonly screens: readonly ScreenLink[];
}

export function ConsoleShortcuts({ screens }: ConsoleShortcutsProps) {
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
			{ key: "Ctrl+K", does: t.palette, run: showPalette },
			{ key: "?", does: t.help, run: showShortcuts },
		],
		"console",
	);
	if (isPaletteShown.value) return <LoadedPalette screens={screens} />;
	return isHelpShown.value ? <ShortcutsDialog /> : null;
}

const isPaletteShown = signal(false);

export function showPalette(): void {
	isPaletteShown.value = true;
}

/** Loaded when it opens for the first time. */
function LoadedPalette({ screens }: ConsoleShortcutsProps) {
	const [Palette, setPalette] = useState<typeof import("../palette/palette.tsx").Palette>();
	const close = () => {
		isPaletteShown.value = false;
	};
	useEffect(() => {
		import("../palette/palette.tsx").then(
			(module) => setPalette(() => module.Palette),
			(error: unknown) => {
				close();
				reportError(error);
				announce(uiWords().failed, "danger");
			},
		);
	}, []);
	return Palette === undefined ? null : <Palette screens={screens} onClose={close} />;
}

export function showShortcuts(): void {
	isHelpShown.value = true;
}

/** The first search box of the screen. */
function searchField(): HTMLInputElement | undefined {
	const fields = [...document.querySelectorAll<HTMLInputElement>("main input[type=search]")];
	return fields.find((field) => field.checkVisibility());
}

/** The active shortcuts of this screen, and the switch that turns them off. */
function ShortcutsDialog() {
	const { shortcuts: t } = useWords("console");
	const close = () => {
		isHelpShown.value = false;
	};
	return (
		<Dialog onClose={close} title={t.title} size="small">
			<div class="lk-stack">
				<dl class="lk-shortcuts">
					{usableShortcuts().map(({ key, does }) => (
						<div key={key}>
							<dt>
								<kbd>{shownKey(key)}</kbd>
							</dt>
							<dd>{does}</dd>
						</div>
					))}
				</dl>
				<Checkbox
					name="shortcuts"
					label={t.use}
					hint={t.useHint}
					checked={hasShortcuts.value}
					onValue={setShortcuts}
				/>
			</div>
		</Dialog>
	);
}

function shownKey(key: string): string {
	if (key === "Escape") return "Esc";
	if (/^[A-Z]$/.test(key)) return `Shift+${key}`;
	return key.startsWith("Ctrl+") ? commandKey(key.slice(5)) : key;
}
