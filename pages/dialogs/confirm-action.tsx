// Confirms an action, runs it, announces the outcome and closes.

import { useAction } from "../api/query.ts";
import { ConfirmDialog, type ConfirmDialogProps } from "../ui/confirm-dialog.tsx";
import { announce } from "../ui/status-line.tsx";

interface ConfirmActionProps extends Omit<ConfirmDialogProps, "action"> {
	/** A failure is shown in the dialog, which stays open. */
	readonly act: () => Promise<unknown>;
	/** Announced after success. */
	readonly done: string;
	/** Reverses the action; reports its own outcome. */
	readonly undo?: (() => unknown) | undefined;
	readonly onDone: () => void;
}

export function ConfirmAction({ act, done, undo, onDone, ...dialog }: ConfirmActionProps) {
	const action = useAction(async () => {
		await act();
		announce(done, "success", undo);
		dialog.onClose();
		onDone();
	});
	return <ConfirmDialog {...dialog} action={action} />;
}
