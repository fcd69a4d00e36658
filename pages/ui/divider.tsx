// A line with a word between two alternatives.

import type { ComponentChildren } from "preact";
import "./divider.css";

export function Divider({ children }: { children?: ComponentChildren }) {
	return <div class="lk-divider">{children}</div>;
}
