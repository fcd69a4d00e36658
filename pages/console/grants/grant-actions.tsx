// What an administrator does with a grant in a list: changes its roles, or removes it.

import { useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { trash } from "../../ui/icons.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { isAdmin } from "../roles.ts";
import { putGrant, removeGrant, type Subject } from "./change-grant.ts";
import { RolesField } from "./roles-field.tsx";

interface ListedGrant extends Pick<Schemas["UserGrant"], "app_id" | "app_name" | "roles" | "expires_at"> {
	readonly subject: Subject;
}

/** The actions of a row; undefined for users who may change nothing. */
export function useGrantActions<Row>(grantOf: (row: Row) => ListedGrant, onChanged: () => void) {
	const t = useWords("console-access").grants;
	if (!isAdmin()) return undefined;
	return (row: Row): readonly MenuItem[] => {
		const grant = grantOf(row);
		const { app_id, app_name, subject, roles, expires_at } = grant;
		const change = () =>
			openDialog((close) => <RolesDialog grant={grant} onClose={close} onChanged={onChanged} />);
		const remove = () =>
			confirmAction({
				title: t.removeAccessOf(subject.name, app_name),
				text: subject.kind === "user" ? t.removeUserText : t.removeGroupText,
				submitLabel: t.removeAccess,
				act: () => removeGrant(app_id, subject),
				done: t.accessRemoved(subject.name),
				undo: {
					act: () => putGrant(app_id, subject, roles, expires_at),
					done: t.accessGiven(subject.name, app_name),
				},
				onDone: onChanged,
			});
		return [
			{ label: t.changeRoles, onSelect: change },
			{ label: t.removeAccessAsk, icon: trash, tone: "danger", onSelect: remove },
		];
	};
}

interface RolesDialogProps {
	readonly grant: ListedGrant;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

function RolesDialog({ grant, onClose, onChanged }: RolesDialogProps) {
	const t = useWords("console-access").grants;
	const { app_id, app_name, subject } = grant;
	const [roles, setRoles] = useState<readonly string[]>(grant.roles);
	const save = useAction(async () => {
		await putGrant(app_id, subject, roles);
		announce(t.rolesChanged(subject.name));
		onChanged();
		onClose();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={t.rolesOf(subject.name, app_name)}
			submitLabel={t.save}
			action={save}
		>
			<RolesField appId={app_id} values={roles} onValues={setRoles} />
		</FormDialog>
	);
}
