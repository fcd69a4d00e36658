// Keys of the console and of a screen: one character each. Off while the user types, in dialogs and menus, and where the
// user turned them off.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Shortcut {
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
/** Its dialog turns the other keys on again, so it works always. */
const HELP_KEY = "?";

/** Kept in this browser: speech input types letters (WCAG 2.1.4). */
export const hasShortcuts = signal(localStorage.getItem(OFF) === null);
/** Whether the help is shown. */
export const isHelpShown = signal(false);
/** Keys of the screen come before those of the console, whichever was shown first. */
const registered = { screen: new Set<Registered>(), console: new Set<Registered>() };

export function setShortcuts(isOn: boolean): void {
	hasShortcuts.value = isOn;
	if (isOn) localStorage.removeItem(OFF);
	else localStorage.setItem(OFF, "1");
}

/** The keys that do something now, those of the screen first. */
export function usableShortcuts(): Shortcut[] {
	return [...registered.screen, ...registered.console]
		.flatMap(({ current }) => current)
		.filter(({ isUsable }) => isUsable?.() ?? true);
}

/** While the component is shown. */
export function useShortcuts(
	shortcuts: readonly Shortcut[],
	owner: keyof typeof registered = "screen",
): void {
	const own = useRef(shortcuts);
	own.current = shortcuts;
	useEffect(() => {
		registered[owner].add(own);
		return () => {
			registered[owner].delete(own);
		};
	}, [owner]);
}

/** One listener for all keys: the console adds it. */
export function useShortcutKeys(): void {
	useEffect(() => {
		document.addEventListener("keydown", onKeyDown);
		return () => document.removeEventListener("keydown", onKeyDown);
	}, []);
}

function onKeyDown(event: KeyboardEvent): void {
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
	if (isTyping(event.target) || isCovered()) return;
	if (!hasShortcuts.value && event.key !== HELP_KEY) return;
	const shortcut = usableShortcuts().find(({ key }) => key === event.key);
	if (shortcut === undefined) return;
	event.preventDefault();
	shortcut.run();
}

function isTyping(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
	return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

function isCovered(): boolean {
	return document.querySelector("dialog[open], [role=menu]:popover-open") !== null;
}
