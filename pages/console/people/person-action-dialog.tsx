// Asks before an action on a person, runs it, and says what was done.

import { useEffect } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { PersonAction, PersonActionKey } from "./person-actions.ts";

interface PersonActionDialogProps {
	readonly action: PersonAction | undefined;
	readonly user: User;
	readonly onClose: () => void;
	readonly onDone: (key: PersonActionKey) => void;
}

export function PersonActionDialog({ action, user, onClose, onDone }: PersonActionDialogProps) {
	const { run, isPending, error, reset } = useAction(async ({ key, run: act }: PersonAction) => {
		announce(await act());
		onDone(key);
	});
	useEffect(reset, [action?.key]);
	if (action === undefined) return null;
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={action.label}
			confirmLabel={action.label}
			tone={action.tone ?? "primary"}
			typeToConfirm={action.tone === "danger" ? user.username : undefined}
			onConfirm={() => run(action)}
			pending={isPending}
			error={error}
		>
			{action.question}
		</ConfirmDialog>
	);
}
