// A status in a word.

import type { ComponentChildren } from "preact";
import "./badge.css";
import "./tone.css";
import type { Tone } from "./notice.tsx";

interface BadgeProps {
	readonly children: ComponentChildren;
	/** `plain`: the normal state, which needs no attention. */
	readonly tone?: Tone | "neutral" | "plain" | undefined;
	/** A dot before the word: states that change. */
	readonly dot?: boolean | undefined;
}

export function Badge({ children, tone = "neutral", dot = false }: BadgeProps) {
	const dotted = dot ? " lk-badge--dot" : "";
	return <span class={`lk-badge lk-badge--${tone} lk-tone--${tone}${dotted}`}>{children}</span>;
}

/** Names from users as badges; `none` if there are none. */
export function BadgeList({
	names,
	none = "–",
}: {
	readonly names: readonly string[];
	readonly none?: string;
}) {
	if (names.length === 0) return <span class="lk-muted">{none}</span>;
	return (
		<span class="lk-row">
			{names.map((name) => (
				<Badge key={name}>
					<bdi>{name}</bdi>
				</Badge>
			))}
		</span>
	);
}
