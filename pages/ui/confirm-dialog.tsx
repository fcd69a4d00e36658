// Confirms an action that cannot be undone; for the most serious ones, the user types the name.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type Submission } from "./form.tsx";
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
	/** Cannot be dismissed while the action runs, because closing would not stop it. */
	readonly waitsForAction?: boolean | undefined;
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
		waitsForAction = false,
	} = props;
	const [typed, setTyped] = useState("");
	const id = useUniqueId();
	const isReady = typeToConfirm === undefined || isSameName(typed, typeToConfirm);
	const isBlocking = waitsForAction && action.isPending;
	const actions = (
		<>
			<Button onClick={onClose} disabled={isBlocking}>
				{uiWords().cancel}
			</Button>
			<Button type="submit" form={id} variant={tone} pending={action.isPending} disabled={!isReady}>
				{confirmLabel}
			</Button>
		</>
	);
	return (
		<Dialog onClose={onClose} title={title} actions={actions} size={size} isBlocking={isBlocking}>
			<Form id={id} action={action} onSubmit={() => (isReady ? action.run() : undefined)}>
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
