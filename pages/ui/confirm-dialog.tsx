// Asks before something that cannot be undone; for the gravest, the name must be typed.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, type FormError } from "./form.tsx";
import { isSameName } from "./same-name.ts";
import { TextInput } from "./text-input.tsx";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

export interface ConfirmDialogProps {
	readonly open: boolean;
	readonly onClose: () => void;
	readonly title: string;
	/** What will happen. */
	readonly children: ComponentChildren;
	readonly confirmLabel: string;
	readonly onConfirm: () => unknown;
	/** The name that must be typed. */
	readonly typeToConfirm?: string | undefined;
	readonly pending?: boolean | undefined;
	readonly error?: FormError | undefined;
	readonly tone?: "danger" | "primary" | undefined;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
	return props.open ? <Question {...props} /> : null;
}

function Question(props: ConfirmDialogProps) {
	const { onClose, title, children, confirmLabel, onConfirm, typeToConfirm, pending, error } = props;
	const [typed, setTyped] = useState("");
	const id = useUniqueId();
	const isReady = typeToConfirm === undefined || isSameName(typed, typeToConfirm);
	const confirm = () => (isReady ? onConfirm() : undefined);
	const actions = (
		<>
			<Button onClick={onClose}>{uiWords().cancel}</Button>
			<Button type="submit" form={id} variant={props.tone ?? "danger"} pending={pending} disabled={!isReady}>
				{confirmLabel}
			</Button>
		</>
	);
	return (
		<Dialog open onClose={onClose} title={title} actions={actions} size="small">
			<Form id={id} onSubmit={confirm} error={error} pending={pending}>
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
