// Confirms an action on a person, runs it, and announces the outcome.

import { useAction } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { PersonAction, PersonActionKey } from "./person-actions.ts";

interface PersonActionDialogProps {
	readonly action: PersonAction;
	readonly user: User;
	readonly onClose: () => void;
	readonly onDone: (key: PersonActionKey) => void;
}

export function PersonActionDialog({ action, user, onClose, onDone }: PersonActionDialogProps) {
	const { undo } = action;
	const reverse = (work: () => Promise<string>) =>
		work().then(
			(text) => {
				announce(text);
				onDone(action.key);
			},
			(error: Error) => announce(error.message, "danger"),
		);
	const done = useAction(async () => {
		announce(await action.run(), "success", undo && (() => reverse(undo)));
		onDone(action.key);
	});
	return (
		<ConfirmDialog
			onClose={onClose}
			title={action.label}
			confirmLabel={action.label}
			tone={action.tone ?? "primary"}
			typeToConfirm={action.isFinal === true ? user.username : undefined}
			action={done}
		>
			{action.question}
		</ConfirmDialog>
	);
}
