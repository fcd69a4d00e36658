// Confirms an action, runs it, announces the outcome and closes.

import { useAction } from "../api/query.ts";
import { FormDialog, type FormDialogProps } from "../ui/form-dialog.tsx";
import { announce } from "../ui/status-line.tsx";

interface ConfirmActionProps extends Omit<FormDialogProps, "action" | "text"> {
	/** A failure is shown in the dialog, which stays open. */
	readonly act: () => Promise<unknown>;
	/** Announced after success. */
	readonly done: string;
	/** Reverses the action; reports its own outcome. */
	readonly undo?: (() => unknown) | undefined;
	readonly onDone: () => void;
}

/** The children say what will happen. */
export function ConfirmAction({ act, done, undo, onDone, children, ...dialog }: ConfirmActionProps) {
	const action = useAction(async () => {
		await act();
		announce(done, "success", undo);
		dialog.onClose();
		onDone();
	});
	return <FormDialog tone="danger" size="small" {...dialog} action={action} text={children} />;
}
