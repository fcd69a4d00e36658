// Dialogs of the frame, above the screen.

import { signal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";

/** The last one is on top. */
export const overlays = signal<readonly ComponentChildren[]>([]);
let opened = 0;

/** Opens a dialog above those that are open. It stays when the screen changes. */
export function openOverlay(render: (close: () => void) => ComponentChildren): void {
	const close = () => {
		overlays.value = overlays.value.filter((other) => other !== overlay);
	};
	const overlay = <Fragment key={opened++}>{render(close)}</Fragment>;
	overlays.value = [...overlays.value, overlay];
}
