// Moves the focus into a step that replaced the focused control.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Ref for the element around the step. Does not scroll the page. */
export function useFirstFocus(
	selector = "input:not([hidden]):not([readonly]), button, a",
): RefObject<HTMLDivElement> {
	const step = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		// A dialog around the step opens in its own effect, after this one.
		queueMicrotask(() => step.current?.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }));
	}, []);
	return step;
}
