// Changes which roles a person or a group has in an application.

import { useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { putGrant, type Subject } from "./change-grant.ts";
import { RolesField } from "./roles-field.tsx";

interface GrantRolesDialogProps {
	readonly appId: string;
	readonly appName: string;
	readonly subject: Subject;
	readonly roles: readonly string[];
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function GrantRolesDialog(props: GrantRolesDialogProps) {
	const { appId, appName, subject, onClose, onChanged } = props;
	const t = useWords("console-access").grants;
	const [roles, setRoles] = useState(props.roles);
	const save = useAction(() => putGrant(appId, subject, roles));
	const submit = async () => {
		if ((await save.run()) === undefined) return;
		announce(t.rolesChanged(subject.name));
		onChanged();
		onClose();
	};
	return (
		<FormDialog
			onClose={onClose}
			title={t.rolesOf(subject.name, appName)}
			submitLabel={t.save}
			onSubmit={submit}
			error={save.error}
			pending={save.isPending}
		>
			<RolesField appId={appId} values={roles} onValues={setRoles} />
		</FormDialog>
	);
}
