// Moves the focus into a step, which replaced the control that had it.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** For the element around the step; the page does not scroll. */
export function useFirstFocus(
	selector = "input:not([hidden]):not([readonly]), button, a",
): RefObject<HTMLDivElement> {
	const step = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		// A dialog around the step opens in an effect of its own, after this one.
		queueMicrotask(() => step.current?.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }));
	}, []);
	return step;
}
