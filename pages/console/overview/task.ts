// A row of what there is to do.

import type { ComponentChildren } from "preact";
import type { IconShape } from "../../ui/icons.ts";

export interface Task {
	readonly icon: IconShape;
	/** A sentence; names the link together with `label`. */
	readonly text: ComponentChildren;
	readonly label: string;
	readonly href: string;
	readonly tone?: "danger";
}
