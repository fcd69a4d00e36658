// A part of a screen: title, content, and actions that belong to it.

import type { ComponentChildren } from "preact";
import "./card.css";
import { useUniqueId } from "./unique-id.ts";

interface CardProps {
	readonly title?: string | undefined;
	readonly description?: ComponentChildren;
	/** Beside the title. */
	readonly actions?: ComponentChildren;
	readonly children?: ComponentChildren;
	/** Below a line: buttons of a form, a link to more. */
	readonly footer?: ComponentChildren;
	/** The content reaches the border, for example a table. */
	readonly flush?: boolean | undefined;
	/** For actions that cannot be undone. */
	readonly tone?: "danger" | undefined;
}

export function Card({ title, description, actions, children, footer, flush = false, tone }: CardProps) {
	const id = useUniqueId();
	return (
		<section
			class={tone === "danger" ? "lk-card lk-card--danger" : "lk-card"}
			aria-labelledby={title === undefined ? undefined : id}
		>
			{title !== undefined && (
				<header class="lk-card__head">
					<div class="lk-card__text">
						<h2 id={id} class="lk-card__title">
							{title}
						</h2>
						{description !== undefined && <div class="lk-muted">{description}</div>}
					</div>
					{actions !== undefined && <div class="lk-row">{actions}</div>}
				</header>
			)}
			{children !== undefined && <div class={flush ? "lk-card__flush" : "lk-card__body"}>{children}</div>}
			{footer !== undefined && <footer class="lk-card__foot">{footer}</footer>}
		</section>
	);
}
