// A message in the flow of a page.

import type { ComponentChildren } from "preact";
import "./notice.css";
import "./tone.css";
import { Icon } from "./icon.tsx";
import { danger, info, success, warning } from "./icons.ts";

export type Tone = "info" | "success" | "warning" | "danger";

export const TONE_SHAPES = { info, success, warning, danger } as const;

interface NoticeProps {
	readonly tone?: Tone | undefined;
	readonly title?: string | undefined;
	readonly children?: ComponentChildren;
	/** A button or link below the text. */
	readonly action?: ComponentChildren;
	/** `Form` moves the focus here, so screen readers read it; other notices are announced when they appear. */
	readonly isFormError?: boolean | undefined;
}

export function Notice({ tone = "info", title, children, action, isFormError = false }: NoticeProps) {
	const announced = tone === "danger" ? "alert" : tone === "info" ? undefined : "status";
	return (
		<div
			class={`lk-notice lk-tone--${tone}`}
			role={announced}
			{...(isFormError ? { tabIndex: -1, "data-form-error": "" } : {})}
		>
			<Icon shape={TONE_SHAPES[tone]} />
			<div class="lk-notice__body">
				{title !== undefined && <strong class="lk-notice__title">{title}</strong>}
				{children}
				{action !== undefined && <div class="lk-notice__action">{action}</div>}
			</div>
		</div>
	);
}
