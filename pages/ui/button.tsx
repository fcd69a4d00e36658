// Buttons. While an action runs the button keeps its size and its focus, and ignores further clicks.

import type { ComponentChildren } from "preact";
import "./button.css";
import { Icon } from "./icon.tsx";
import type { IconShape } from "./icons.ts";
import { uiWords } from "./words.ts";

export type ButtonVariant = "primary" | "secondary" | "danger" | "quiet";

interface ButtonProps {
	readonly children: ComponentChildren;
	readonly variant?: ButtonVariant | undefined;
	readonly size?: "small" | "medium" | undefined;
	readonly type?: "button" | "submit" | undefined;
	/** The `id` of the `Form` it submits, if it is outside the form. */
	readonly form?: string | undefined;
	readonly icon?: IconShape | undefined;
	/** The action runs: a spinner covers the label. */
	readonly pending?: boolean | undefined;
	readonly disabled?: boolean | undefined;
	/** As wide as its container. */
	readonly wide?: boolean | undefined;
	readonly autoFocus?: boolean | undefined;
	readonly onClick?: ((event: MouseEvent) => void) | undefined;
}

export function Button(props: ButtonProps) {
	const { children, variant = "secondary", type = "button", icon, pending = false, disabled = false } = props;
	return (
		<button
			type={type}
			form={props.form}
			class={buttonClass(variant, props.size, props.wide)}
			disabled={disabled}
			aria-disabled={pending ? "true" : undefined}
			aria-busy={pending ? "true" : undefined}
			// biome-ignore lint/a11y/noAutofocus: the caller opens a dialog or a step and moves the focus there
			autoFocus={props.autoFocus ?? false}
			onClick={(event) => {
				if (pending) event.preventDefault();
				else props.onClick?.(event);
			}}
		>
			{icon !== undefined && <Icon shape={icon} />}
			<span class="lk-button__label">{children}</span>
			{pending && <span class="lk-hidden">{uiWords().working}</span>}
		</button>
	);
}

export function buttonClass(variant: ButtonVariant, size?: string, wide?: boolean): string {
	return classNames(
		"lk-button",
		`lk-button--${variant}`,
		size === "small" && "lk-button--small",
		wide === true && "lk-button--wide",
	);
}

/** Joins class names; absent ones are left out. */
function classNames(...names: readonly (string | false | undefined)[]): string {
	return names.filter(Boolean).join(" ");
}
