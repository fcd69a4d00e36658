// Disables an application, or enables it again.

import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { useWords } from "../../words/words.ts";

interface SwitchDialogProps {
	readonly application: Pick<Schemas["Application"], "id" | "name" | "status">;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function SwitchDialog({ application: { id, name, status }, onClose, onChanged }: SwitchDialogProps) {
	const t = useWords("console-access").applications;
	const isActive = status === "active";
	return (
		<ConfirmAction
			title={isActive ? t.disableTitle(name) : t.enableTitle(name)}
			confirmLabel={isActive ? t.disable : t.enable}
			tone={isActive ? "danger" : "primary"}
			act={() =>
				call("PATCH /applications/{id}", { path: { id }, body: { status: isActive ? "disabled" : "active" } })
			}
			done={isActive ? t.isDisabled(name) : t.isEnabled(name)}
			onClose={onClose}
			onDone={onChanged}
		>
			{isActive ? t.disableText : t.enableText}
		</ConfirmAction>
	);
}
