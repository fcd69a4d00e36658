// Keys of a screen: one letter each. Off while somebody types, in dialogs and menus, and where the user turned them off.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

const OFF = "latchkey-shortcuts-off";

/** Kept in this browser: speech input types letters (WCAG 2.1.4). */
export const hasShortcuts = signal(localStorage.getItem(OFF) === null);

export function setShortcuts(isOn: boolean): void {
	hasShortcuts.value = isOn;
	if (isOn) localStorage.removeItem(OFF);
	else localStorage.setItem(OFF, "1");
}

/** `?` works always: its dialog turns the others on again. */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
	const current = useRef(keys);
	current.current = keys;
	useEffect(() => {
		const onKeyDown = (event: KeyboardEvent): void => {
			if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
			if (isTyping(event.target) || isCovered()) return;
			if (!hasShortcuts.value && event.key !== "?") return;
			const run = current.current[event.key];
			if (run === undefined) return;
			event.preventDefault();
			run();
		};
		document.addEventListener("keydown", onKeyDown);
		return () => document.removeEventListener("keydown", onKeyDown);
	}, []);
}

function isTyping(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
	return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

function isCovered(): boolean {
	return document.querySelector("dialog[open], [role=menu]:popover-open") !== null;
}
