// A modal dialog: the native element, which traps and restores the focus. Escape and the close button call `onClose`.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./dialog.css";
import { Icon } from "./icon.tsx";
import { close } from "./icons.ts";
import { StatusLine } from "./status-line.tsx";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

export interface DialogProps {
	readonly onClose: () => void;
	readonly title: string;
	readonly children: ComponentChildren;
	/** Buttons below the content. A submit button names its form by `form`. */
	readonly actions?: ComponentChildren;
	readonly size?: "small" | "medium" | "large" | undefined;
	/** Cannot be dismissed: no close button, and Escape does nothing. */
	readonly isBlocking?: boolean | undefined;
}

/** The chosen option or the first field; without fields, what cancels. */
const FIRST = [
	".lk-dialog__body :is(input:checked[type=radio], input:not([type=radio], [readonly], [hidden]), select, textarea):not(:disabled)",
	".lk-dialog__actions button",
].join();

/** Open while it is rendered, so that its fields start empty each time. */
export function Dialog({
	onClose,
	title,
	children,
	actions,
	size = "medium",
	isBlocking = false,
}: DialogProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const titleId = useUniqueId();
	useLayoutEffect(() => {
		const opener = document.activeElement;
		const element = dialog.current;
		element?.showModal();
		// The browser prefers the close button unless a control has `autofocus`.
		if (element !== null && document.activeElement?.matches(".lk-dialog__close"))
			element.querySelector<HTMLElement>(FIRST)?.focus();
		return () => {
			element?.close();
			if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
		};
	}, []);
	return (
		<dialog
			ref={dialog}
			class={`lk-dialog lk-dialog--${size}`}
			aria-labelledby={titleId}
			onCancel={(event) => {
				event.preventDefault();
				if (!isBlocking) onClose();
			}}
		>
			<header class="lk-dialog__head">
				<h2 id={titleId}>{title}</h2>
				{!isBlocking && (
					<button
						type="button"
						class="lk-icon-button lk-dialog__close"
						aria-label={uiWords().close}
						onClick={onClose}
					>
						<Icon shape={close} />
					</button>
				)}
			</header>
			<div class="lk-dialog__body">{children}</div>
			{actions !== undefined && <footer class="lk-dialog__actions">{actions}</footer>}
			<StatusLine />
		</dialog>
	);
}
