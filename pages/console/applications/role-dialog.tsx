// Creates or edits a role of an application.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ROLE_DESCRIPTION_MAX, ROLE_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";
import { descriptionIn, descriptionProblem, lineOf, permissionProblem } from "./line-problems.ts";

interface RoleDialogProps {
	readonly application: Pick<Schemas["Application"], "id" | "name">;
	/** Undefined for a new role. */
	readonly role?: Schemas["ApplicationRole"] | undefined;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function RoleDialog({ application, role, onClose, onChanged }: RoleDialogProps) {
	const t = useWords("console-access").applications;
	const [name, setName] = useState(role?.name ?? "");
	const [description, setDescription] = useState(role?.description ?? "");
	const [permissions, setPermissions] = useState(role?.permissions.join("\n") ?? "");
	const [descriptions, setDescriptions] = useState(
		role?.permission_descriptions.map(lineOf).join("\n") ?? "",
	);
	const save = useAction(async () => {
		const body = {
			name: name.trim(),
			description,
			permissions: linesOf(permissions),
			permission_descriptions: linesOf(descriptions).map(descriptionIn),
		};
		const path = { id: application.id };
		const { data } = await (role === undefined
			? call("POST /applications/{id}/roles", { path, body })
			: call("PATCH /applications/{id}/roles/{role_id}", { path: { ...path, role_id: role.id }, body }));
		announce(t.roleSaved(data.name));
		onChanged();
		onClose();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={role === undefined ? t.addRoleTitle(application.name) : t.editRoleTitle(role.name)}
			submitLabel={role === undefined ? t.addRole : t.save}
			action={save}
		>
			<TextInput
				name="name"
				label={t.roleName}
				hint={t.roleNameHint}
				value={name}
				onValue={setName}
				limit={ROLE_NAME_MAX}
				required
				code
				autoFocus
			/>
			<TextInput
				name="description"
				label={t.roleWhatFor}
				value={description}
				onValue={setDescription}
				limit={ROLE_DESCRIPTION_MAX}
				optional
			/>
			<ListField
				name="permissions"
				label={t.permissions}
				hint={t.permissionsHint}
				addLabel={t.addPermission}
				placeholder="orders:read"
				value={permissions}
				onValue={setPermissions}
				problemOf={(entry, above) =>
					above.includes(entry) ? t.lineProblems.repeated : permissionProblem(entry, t.lineProblems)
				}
			/>
			<ListField
				name="permission_descriptions"
				label={t.permissionDescriptions}
				hint={t.permissionDescriptionsHint}
				addLabel={t.addDescription}
				value={descriptions}
				onValue={setDescriptions}
				problemOf={(entry) => descriptionProblem(entry, linesOf(permissions), t.lineProblems)}
				optional
			/>
		</FormDialog>
	);
}
