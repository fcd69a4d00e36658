// Confirms an action that cannot be undone; for the most serious ones, the user types the name.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type FormProps, type Submission } from "./form.tsx";
import { isSameName } from "./same-name.ts";
import { TextInput } from "./text-input.tsx";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

export interface ConfirmDialogProps {
	readonly onClose: () => void;
	readonly title: string;
	/** What will happen. */
	readonly children: ComponentChildren;
	readonly confirmLabel: string;
	readonly action: Submission;
	/** The name to type. */
	readonly typeToConfirm?: string | undefined;
	readonly tone?: "danger" | "primary" | undefined;
	readonly size?: DialogProps["size"];
	/** Client-side errors by field name. */
	readonly errors?: FormProps["errors"];
	/** Cannot be dismissed except by `cancel`. */
	readonly isBlocking?: boolean | undefined;
	/** Replaces the cancel button. */
	readonly cancel?: { readonly label: string; readonly run: () => void } | undefined;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
	const {
		onClose,
		title,
		children,
		confirmLabel,
		action,
		typeToConfirm,
		tone = "danger",
		size = "small",
		errors,
		isBlocking = false,
		cancel = { label: uiWords().cancel, run: onClose },
	} = props;
	const [typed, setTyped] = useState("");
	const id = useUniqueId();
	const isReady = typeToConfirm === undefined || isSameName(typed, typeToConfirm);
	const actions = (
		<>
			<Button onClick={cancel.run}>{cancel.label}</Button>
			<Button type="submit" form={id} variant={tone} pending={action.isPending} disabled={!isReady}>
				{confirmLabel}
			</Button>
		</>
	);
	return (
		<Dialog onClose={onClose} title={title} actions={actions} size={size} isBlocking={isBlocking}>
			<Form id={id} action={action} errors={errors} onSubmit={() => (isReady ? action.run() : undefined)}>
				<div>{children}</div>
				{typeToConfirm !== undefined && (
					<TextInput
						name="confirmation"
						label={uiWords().typeToConfirm(typeToConfirm)}
						value={typed}
						onValue={setTyped}
						autoFocus
					/>
				)}
			</Form>
		</Dialog>
	);
}
