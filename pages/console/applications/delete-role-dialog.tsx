// Asks before a role is deleted, with its name.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

interface DeleteRoleDialogProps {
	readonly role: Schemas["ApplicationRole"];
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function DeleteRoleDialog({ role, onClose, onChanged }: DeleteRoleDialogProps) {
	const t = useWords("console-access").applications;
	const remove = useAction(async () => {
		await call("DELETE /applications/{id}/roles/{role_id}", { path: { id: role.app_id, role_id: role.id } });
		return true;
	});
	const confirm = async () => {
		if ((await remove.run()) === undefined) return;
		announce(t.roleDeleted(role.name));
		onChanged();
		onClose();
	};
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.deleteRoleTitle(role.name)}
			confirmLabel={t.deleteRoleIt}
			typeToConfirm={role.name}
			onConfirm={confirm}
			pending={remove.isPending}
			error={remove.error}
		>
			{t.deleteRoleText}
		</ConfirmDialog>
	);
}
