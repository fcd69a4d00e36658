// A dialog that contains one form, with its submit and cancel buttons. `tone="danger"` confirms what cannot be undone.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type FormProps } from "./form.tsx";
import { isSameName } from "./same-name.ts";
import { TextInput } from "./text-input.tsx";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

export interface FormDialogProps
	extends Pick<DialogProps, "title" | "onClose" | "size" | "isBlocking">,
		Pick<FormProps, "action" | "onSubmit" | "errors"> {
	readonly submitLabel: string;
	readonly tone?: "danger" | "primary" | undefined;
	/** What will happen, above the fields. */
	readonly text?: ComponentChildren;
	/** The name to type before the form can be sent. */
	readonly typeToConfirm?: string | undefined;
	/** Starts with the focus on the submit button: a key opened the dialog, and Enter confirms. */
	readonly isQuick?: boolean | undefined;
	/** Replaces the label of the cancel button, and what it runs. */
	readonly cancel?: { readonly label: string; readonly run?: () => void } | undefined;
	readonly children?: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
	const { action, onSubmit = action?.run, errors, children, submitLabel, ...rest } = props;
	const { tone = "primary", text, typeToConfirm, isQuick, cancel, ...dialog } = rest;
	const [typed, setTyped] = useState("");
	const id = useUniqueId();
	const isReady = typeToConfirm === undefined || isSameName(typed, typeToConfirm);
	const actions = (
		<>
			<Button onClick={cancel?.run ?? dialog.onClose}>{cancel?.label ?? uiWords().cancel}</Button>
			<Button
				type="submit"
				form={id}
				variant={tone}
				pending={action?.isPending}
				disabled={!isReady}
				autoFocus={isQuick}
			>
				{submitLabel}
			</Button>
		</>
	);
	return (
		<Dialog {...dialog} actions={actions}>
			<Form id={id} action={action} errors={errors} onSubmit={() => (isReady ? onSubmit?.() : undefined)}>
				{text !== undefined && <div>{text}</div>}
				{typeToConfirm !== undefined && (
					<TextInput
						name="confirmation"
						label={uiWords().typeToConfirm(typeToConfirm)}
						value={typed}
						onValue={setTyped}
						autoFocus
					/>
				)}
				{children}
			</Form>
		</Dialog>
	);
}
