// Links, as text or with the look of a button.

import type { ComponentChildren } from "preact";
import "./link.css";
import { type ButtonVariant, buttonClass } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { external as externalShape, type IconShape } from "./icons.ts";
import { uiWords } from "./words.ts";

interface LinkProps {
	readonly href: string;
	readonly children: ComponentChildren;
	readonly variant?: "text" | ButtonVariant | undefined;
	readonly size?: "small" | "medium" | undefined;
	readonly wide?: boolean | undefined;
	readonly icon?: IconShape | undefined;
	/** Opens in a new tab. */
	readonly external?: boolean | undefined;
	readonly onClick?: ((event: MouseEvent) => void) | undefined;
}

export function Link({
	href,
	children,
	variant = "text",
	size,
	wide,
	icon,
	external = false,
	onClick,
}: LinkProps) {
	return (
		<a
			href={href}
			class={variant === "text" ? "lk-link" : buttonClass(variant, size, wide)}
			onClick={onClick}
			{...(external ? { target: "_blank", rel: "noopener noreferrer" } : {})}
		>
			{icon !== undefined && <Icon shape={icon} />}
			{variant === "text" ? children : <span class="lk-button__label">{children}</span>}
			{external && (
				<>
					<Icon shape={externalShape} mirrored />
					<span class="lk-hidden">({uiWords().opensInNewTab})</span>
				</>
			)}
		</a>
	);
}
