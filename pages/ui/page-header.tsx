// The title of a screen, a sentence about it, and its actions.

import type { ComponentChildren } from "preact";
import "./page-header.css";

interface PageHeaderProps {
	readonly title: ComponentChildren;
	readonly description?: ComponentChildren;
	/** Before the title, such as an avatar. */
	readonly media?: ComponentChildren;
	/** Beside the title, such as a badge of the status. */
	readonly meta?: ComponentChildren;
	readonly actions?: ComponentChildren;
}

export function PageHeader({ title, description, media, meta, actions }: PageHeaderProps) {
	return (
		<header class="lk-page-header">
			{media}
			<div class="lk-page-header__text">
				<div class="lk-page-header__line">
					<h1 tabIndex={-1}>
						<bdi>{title}</bdi>
					</h1>
					{meta}
				</div>
				{description !== undefined && <div class="lk-page-header__description">{description}</div>}
			</div>
			{actions !== undefined && <div class="lk-page-header__actions">{actions}</div>}
		</header>
	);
}
