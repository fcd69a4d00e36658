// Asks before a group is deleted, with its name.

import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

interface DeleteGroupDialogProps {
	readonly group: Schemas["Group"];
	readonly onClose: () => void;
}

export function DeleteGroupDialog({ group: { id, name }, onClose }: DeleteGroupDialogProps) {
	const t = useWords("console-access").groups;
	const [, navigate] = useLocation();
	const remove = useAction(async () => {
		await call("DELETE /groups/{id}", { path: { id } });
		return true;
	});
	const confirm = async () => {
		if ((await remove.run()) === undefined) return;
		forgetQueries("GET /");
		announce(t.deleted(name));
		navigate("/console/groups");
	};
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.deleteTitle(name)}
			confirmLabel={t.deleteIt}
			typeToConfirm={name}
			onConfirm={confirm}
			pending={remove.isPending}
			error={remove.error}
		>
			{t.deleteText}
		</ConfirmDialog>
	);
}
