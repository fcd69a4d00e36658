// The shortcuts of every screen, and their help.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { Checkbox } from "../../ui/choice.tsx";
import { commandKey } from "../../ui/command-key.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { uiWords } from "../../ui/words.ts";
import { loadWords, useWords } from "../../words/words.ts";
import { beforeLeaving } from "../editing/before-leaving.ts";
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
	/** Of the navigation, for the palette, each with the key that opens it after `g`. */
	readonly screens: readonly (ScreenLink & { readonly key: string })[];
}

export function ConsoleShortcuts({ screens }: ConsoleShortcutsProps) {
	const { shortcuts: t } = useWords("console");
	const [, navigate] = useLocation();
	useShortcutKeys();
	useShortcuts(
		[
			...screens.map(({ href, label, key }) => ({
				key: `g ${key}`,
				does: label,
				run: () => beforeLeaving(() => navigate(href)),
			})),
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
		Promise.all([import("../palette/palette.tsx"), loadWords(["console-palette"])]).then(
			([module]) => setPalette(() => module.Palette),
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
	const usable = usableShortcuts();
	return (
		<Dialog onClose={close} title={t.title} size="small">
			<div class="lk-stack">
				<Keys shortcuts={usable.filter(({ key }) => !key.startsWith("g "))} />
				<h3 class="lk-shortcuts__title">{t.goTo}</h3>
				<Keys shortcuts={usable.filter(({ key }) => key.startsWith("g "))} />
				<Checkbox
					name="shortcuts"
					label={t.use}
					hint={t.useHint}
					value={hasShortcuts.value}
					onValue={setShortcuts}
				/>
			</div>
		</Dialog>
	);
}

function Keys({ shortcuts }: { readonly shortcuts: ReturnType<typeof usableShortcuts> }) {
	return (
		<dl class="lk-shortcuts">
			{shortcuts.map(({ key, does }) => {
				const [first = "", second] = key.split(" ");
				return (
					<div key={key}>
						<dt>
							<kbd>{shownKey(first)}</kbd>
							{second !== undefined && <kbd>{second}</kbd>}
						</dt>
						<dd>{does}</dd>
					</div>
				);
			})}
		</dl>
	);
}

function shownKey(key: string): string {
	if (key === "Escape") return "Esc";
	if (/^[A-Z]$/.test(key)) return `Shift+${key}`;
	return key.startsWith("Ctrl+") ? commandKey(key.slice(5)) : key;
}
