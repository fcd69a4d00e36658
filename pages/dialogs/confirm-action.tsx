// Confirms an action, runs it, announces the outcome and closes.

import { useAction } from "../api/query.ts";
import { FormDialog, type FormDialogProps } from "../ui/form-dialog.tsx";
import { announce } from "../ui/status-line.tsx";

interface ConfirmActionProps extends Omit<FormDialogProps, "action" | "text"> {
	/** A failure is shown in the dialog, which stays open. */
	readonly act: () => Promise<unknown>;
	/** Announced after success. Default: the text that `act` returns. */
	readonly done?: string | undefined;
	/** Reverses the action. */
	readonly undo?: { readonly act: () => Promise<unknown>; readonly done: string } | undefined;
	/** Called after the action, and after it was reversed. */
	readonly onDone: () => void;
}

/** The children say what will happen. */
export function ConfirmAction({ act, done, undo, onDone, children, ...dialog }: ConfirmActionProps) {
	const reverse =
		undo &&
		(() =>
			undo.act().then(
				() => {
					announce(undo.done);
					onDone();
				},
				(error: Error) => announce(error.message, "danger"),
			));
	const action = useAction(async () => {
		const result = await act();
		announce(done ?? String(result), "success", reverse);
		dialog.onClose();
		onDone();
	});
	return <FormDialog tone="danger" size="small" {...dialog} action={action} text={children} />;
}
