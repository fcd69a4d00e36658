// Asks before access to an application is taken away.

import { useAction } from "../../api/query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { removeGrant, type Subject } from "./change-grant.ts";

interface RemoveAccessDialogProps {
	readonly appId: string;
	readonly appName: string;
	readonly subject: Subject;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function RemoveAccessDialog(props: RemoveAccessDialogProps) {
	const { appId, appName, subject, onClose, onChanged } = props;
	const t = useWords("console-access").grants;
	const remove = useAction(() => removeGrant(appId, subject));
	const confirm = async () => {
		if ((await remove.run()) === undefined) return;
		announce(t.accessRemoved(subject.name));
		onChanged();
		onClose();
	};
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.removeAccessOf(subject.name, appName)}
			confirmLabel={t.removeAccess}
			onConfirm={confirm}
			pending={remove.isPending}
			error={remove.error}
		>
			{subject.kind === "user" ? t.removeUserText : t.removeGroupText}
		</ConfirmDialog>
	);
}
