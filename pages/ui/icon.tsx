// An icon beside a text. Decorative: the text or the button's label gives the meaning.

import "./icon.css";
import type { IconShape } from "./icons.ts";

export function Icon({
	shape,
	mirrored = false,
}: {
	shape: IconShape /** In right-to-left text. */;
	mirrored?: boolean;
}) {
	return (
		<svg
			class={mirrored ? "lk-icon lk-icon--mirrored" : "lk-icon"}
			viewBox="0 0 20 20"
			aria-hidden="true"
			focusable="false"
		>
			<path d={shape} />
		</svg>
	);
}
