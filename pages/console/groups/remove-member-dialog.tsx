// Asks before a person leaves a group.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

export type Member = Schemas["GroupMember"];

interface RemoveMemberDialogProps {
	readonly group: Schemas["Group"];
	readonly member: Member;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function RemoveMemberDialog({ group, member, onClose, onChanged }: RemoveMemberDialogProps) {
	const t = useWords("console-access").groups;
	const remove = useAction(async () => {
		await call("DELETE /groups/{id}/members/{user_id}", {
			path: { id: group.id, user_id: member.user_id },
		});
		return true;
	});
	const confirm = async () => {
		if ((await remove.run()) === undefined) return;
		announce(t.removed(memberName(member)));
		onChanged();
		onClose();
	};
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.removeTitle(memberName(member), group.name)}
			confirmLabel={t.removeIt}
			onConfirm={confirm}
			pending={remove.isPending}
			error={remove.error}
		>
			{t.removeText}
		</ConfirmDialog>
	);
}

export function memberName({ display_name, username }: Member): string {
	return display_name || username;
}
