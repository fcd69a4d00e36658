// Disconnects an application from OpenID Connect, once its name is typed.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import type { ClientDialogProps } from "./client-props.ts";

export function RemoveDialog({ application, client, onClose, onChanged }: ClientDialogProps) {
	const t = useWords("console-access").openid;
	const remove = useAction(async () => {
		await call("DELETE /applications/{id}/oauth-client", { path: { id: client.client_id } });
		return true;
	});
	const confirm = async () => {
		if ((await remove.run()) === undefined) return;
		announce(t.removed);
		onClose();
		onChanged();
	};
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.removeTitle(application.name)}
			confirmLabel={t.removeNow}
			typeToConfirm={application.name}
			onConfirm={confirm}
			pending={remove.isPending}
			error={remove.error}
		>
			{t.removeText}
		</ConfirmDialog>
	);
}
