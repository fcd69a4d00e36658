// Asks before a navigation discards what the user typed.

import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** The mounted forms with unsaved changes, and the URL at which the user typed them. */
const unsaved = new Map<object, string>();

/** The navigation that waits for the user's decision. */
export const waitingNavigation = signal<(() => void) | undefined>(undefined);

/** Runs `go`, after a question if a form has unsaved changes. */
export function beforeLeaving(go: () => void): void {
	if (unsaved.size === 0) go();
	else waitingNavigation.value = go;
}

/** Continues the waiting navigation: the user discards the changes, or nothing is unsaved any more. */
export function leave(): void {
	const go = waitingNavigation.value;
	waitingNavigation.value = undefined;
	unsaved.clear();
	go?.();
}

/** While `isUnsaved`: links, tabs and the back button ask first, and the browser asks before it closes the page. */
export function useUnsaved(isUnsaved: boolean): void {
	useLayoutEffect(() => {
		if (!isUnsaved) return;
		const form = {};
		const onUnload = (event: Event) => {
			if (unsaved.has(form)) event.preventDefault();
		};
		unsaved.set(form, location.href);
		addEventListener("beforeunload", onUnload);
		return () => {
			unsaved.delete(form);
			removeEventListener("beforeunload", onUnload);
			// Saved while the question was open.
			if (unsaved.size === 0) leave();
		};
	}, [isUnsaved]);
}

// Here, because it must precede the router's listener: at the window, listeners run in the order in which they were added.
addEventListener("popstate", (event) => {
	const [href] = unsaved.values();
	if (href === undefined) return;
	event.stopImmediatePropagation();
	// The browser has already navigated. The entry that the user wanted is below the one added here, in both directions.
	history.pushState(null, "", href);
	waitingNavigation.value = () => history.back();
});
