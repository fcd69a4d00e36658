// Disables an application, or enables it again.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

interface SwitchDialogProps {
	readonly application: Pick<Schemas["Application"], "id" | "name" | "status">;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function SwitchDialog({ application: { id, name, status }, onClose, onChanged }: SwitchDialogProps) {
	const t = useWords("console-access").applications;
	const isActive = status === "active";
	const change = useAction(() =>
		call("PATCH /applications/{id}", { path: { id }, body: { status: isActive ? "disabled" : "active" } }),
	);
	const confirm = async () => {
		if ((await change.run()) === undefined) return;
		announce(isActive ? t.isDisabled(name) : t.isEnabled(name));
		onChanged();
		onClose();
	};
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={isActive ? t.disableTitle(name) : t.enableTitle(name)}
			confirmLabel={isActive ? t.disable : t.enable}
			tone={isActive ? "danger" : "primary"}
			onConfirm={confirm}
			pending={change.isPending}
			error={change.error}
		>
			{isActive ? t.disableText : t.enableText}
		</ConfirmDialog>
	);
}
