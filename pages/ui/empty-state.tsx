// Shown in an empty list: what belongs here, and how to add the first entry.

import type { ComponentChildren } from "preact";
import "./empty-state.css";
import { Icon } from "./icon.tsx";
import type { IconShape } from "./icons.ts";

interface EmptyStateProps {
	readonly icon: IconShape;
	readonly title: string;
	readonly children?: ComponentChildren;
	readonly action?: ComponentChildren;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
	return (
		<div class="lk-empty">
			<span class="lk-empty__icon">
				<Icon shape={icon} />
			</span>
			<p class="lk-empty__title">{title}</p>
			{children !== undefined && <div class="lk-empty__text">{children}</div>}
			{action !== undefined && <div class="lk-empty__action">{action}</div>}
		</div>
	);
}
