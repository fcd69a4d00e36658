// Shortcuts of the console and of a screen, one character or two. Off while the user types, in dialogs and menus, and if the
// user has turned them off.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { readStored, writeStored } from "../../stored.ts";
import { hasCommand } from "../../ui/command-key.ts";

interface Shortcut {
	/** A character, two with a space between them, `Escape`, or `Ctrl+` and a letter, which also works while the user types. */
	readonly key: string;
	/** For the help. */
	readonly does: string;
	readonly run: () => void;
	/** Default: always. */
	readonly isUsable?: () => boolean;
}

interface Registered {
	current: readonly Shortcut[];
}

const OFF = "latchkey-shortcuts-off";
/** Always active: the help can turn the others on again, and Escape is no character. */
const ALWAYS = ["?", "Escape"];

/** Stored in this browser. Speech input may trigger single-character shortcuts (WCAG 2.1.4). */
export const hasShortcuts = signal(readStored(OFF) === null);
/** Whether the help is shown. */
export const isHelpShown = signal(false);
/** Shortcuts of the screen precede those of the console, regardless of the order in which they were registered. */
const registered = { screen: new Set<Registered>(), console: new Set<Registered>() };

export function setShortcuts(isOn: boolean): void {
	hasShortcuts.value = isOn;
	writeStored(OFF, isOn ? null : "1");
}

/** The active shortcuts, those of the screen first. */
export function usableShortcuts(): Shortcut[] {
	return [...registered.screen, ...registered.console]
		.flatMap(({ current }) => current)
		.filter(({ isUsable }) => isUsable?.() ?? true);
}

/** Active while the component is mounted. */
export function useShortcuts(
	shortcuts: readonly Shortcut[],
	owner: keyof typeof registered = "screen",
): void {
	const own = useRef(shortcuts);
	own.current = shortcuts;
	useLayoutEffect(() => {
		registered[owner].add(own);
		return () => {
			registered[owner].delete(own);
		};
	}, [owner]);
}

/** One listener for all shortcuts, added by the console. */
export function useShortcutKeys(): void {
	// Before the first paint: users press keys as soon as they see the screen.
	useLayoutEffect(() => {
		document.addEventListener("keydown", onKeyDown);
		return () => document.removeEventListener("keydown", onKeyDown);
	}, []);
}

/** Within this time, the second character of a shortcut follows the first. */
const SECOND_KEY_MS = 2_000;
let first = { key: "", at: 0 };

function onKeyDown(event: KeyboardEvent): void {
	if (event.defaultPrevented || event.altKey || event.key === "Shift" || isCovered()) return;
	const isCommand = hasCommand(event);
	if (!isCommand && (event.ctrlKey || event.metaKey || isTyping(event.target))) return;
	if (!isCommand && !hasShortcuts.value && !ALWAYS.includes(event.key)) return;
	const pressed = isCommand ? `Ctrl+${event.key.toUpperCase()}` : event.key;
	const both = event.timeStamp - first.at < SECOND_KEY_MS ? `${first.key} ${pressed}` : pressed;
	first = { key: pressed, at: event.timeStamp };
	const usable = usableShortcuts();
	const shortcut = usable.find(({ key }) => key === both) ?? usable.find(({ key }) => key === pressed);
	if (shortcut === undefined) return;
	first = { key: "", at: 0 };
	event.preventDefault();
	shortcut.run();
}

export function isTyping(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
	return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

function isCovered(): boolean {
	return document.querySelector("dialog[open], [role=menu]:popover-open") !== null;
}
