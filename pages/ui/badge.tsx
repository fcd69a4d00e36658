// A status in a word.

import type { ComponentChildren } from "preact";
import "./badge.css";
import type { Tone } from "./notice.tsx";

export interface BadgeProps {
	readonly children: ComponentChildren;
	readonly tone?: Tone | "neutral" | undefined;
	/** A dot before the word: states that change. */
	readonly dot?: boolean | undefined;
}

export function Badge({ children, tone = "neutral", dot = false }: BadgeProps) {
	return <span class={`lk-badge lk-badge--${tone}${dot ? " lk-badge--dot" : ""}`}>{children}</span>;
}
