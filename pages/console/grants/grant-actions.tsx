// What an administrator does with a grant in a list: changes its roles, or removes it.

import { useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { trash } from "../../ui/icons.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { putGrant, removeGrant, type Subject } from "./change-grant.ts";
import { RolesField } from "./roles-field.tsx";

interface ListedGrant {
	readonly appId: string;
	readonly appName: string;
	readonly subject: Subject;
	readonly roles: readonly string[];
	/** When it ends; null for never. */
	readonly end: string | null;
}

interface GrantDialogProps {
	readonly grant: ListedGrant;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

/** The actions of a row, and the dialog that one of them has opened. */
export function useGrantActions<Row>(grantOf: (row: Row) => ListedGrant, onChanged: () => void) {
	const t = useWords("console-access").grants;
	const [asked, setAsked] = useState<{ readonly Dialog: typeof RemoveDialog; readonly row: Row }>();
	const rowActions = (row: Row): readonly MenuItem[] => [
		{ label: t.changeRoles, onSelect: () => setAsked({ Dialog: RolesDialog, row }) },
		{
			label: t.removeAccessAsk,
			icon: trash,
			tone: "danger",
			onSelect: () => setAsked({ Dialog: RemoveDialog, row }),
		},
	];
	const dialog = asked && (
		<asked.Dialog grant={grantOf(asked.row)} onClose={() => setAsked(undefined)} onChanged={onChanged} />
	);
	return { rowActions: isAdmin() ? rowActions : undefined, dialog };
}

function RolesDialog({ grant: { appId, appName, subject, ...grant }, onClose, onChanged }: GrantDialogProps) {
	const t = useWords("console-access").grants;
	const [roles, setRoles] = useState(grant.roles);
	const save = useAction(async () => {
		await putGrant(appId, subject, roles);
		announce(t.rolesChanged(subject.name));
		onChanged();
		onClose();
	});
	return (
		<FormDialog onClose={onClose} title={t.rolesOf(subject.name, appName)} submitLabel={t.save} action={save}>
			<RolesField appId={appId} values={roles} onValues={setRoles} />
		</FormDialog>
	);
}

function RemoveDialog({
	grant: { appId, appName, subject, roles, end },
	onClose,
	onChanged,
}: GrantDialogProps) {
	const t = useWords("console-access").grants;
	return (
		<ConfirmAction
			title={t.removeAccessOf(subject.name, appName)}
			submitLabel={t.removeAccess}
			act={() => removeGrant(appId, subject)}
			done={t.accessRemoved(subject.name)}
			undo={{ act: () => putGrant(appId, subject, roles, end), done: t.accessGiven(subject.name, appName) }}
			onClose={onClose}
			onDone={onChanged}
		>
			{subject.kind === "user" ? t.removeUserText : t.removeGroupText}
		</ConfirmAction>
	);
}
