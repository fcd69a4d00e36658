// A line between two ways to do the same, with a word in it.

import type { ComponentChildren } from "preact";
import "./divider.css";

export function Divider({ children }: { children?: ComponentChildren }) {
	return <div class="lk-divider">{children}</div>;
}
