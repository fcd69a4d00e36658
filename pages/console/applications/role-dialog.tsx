// Creates or edits a role of an application.

import { call } from "../../api/client.ts";
import { ROLE_DESCRIPTION_MAX, ROLE_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
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
	const { values, field } = useFields({
		name: role?.name ?? "",
		description: role?.description ?? "",
		permissions: role?.permissions.join("\n") ?? "",
		permission_descriptions: role?.permission_descriptions.map(lineOf).join("\n") ?? "",
	});
	const save = useAction(async () => {
		const body = {
			name: values.name.trim(),
			description: values.description,
			permissions: linesOf(values.permissions),
			permission_descriptions: linesOf(values.permission_descriptions).map(descriptionIn),
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
				{...field("name")}
				label={t.roleName}
				hint={t.roleNameHint}
				limit={ROLE_NAME_MAX}
				required
				code
				autoFocus
			/>
			<TextInput {...field("description")} label={t.roleWhatFor} limit={ROLE_DESCRIPTION_MAX} optional />
			<ListField
				{...field("permissions")}
				label={t.permissions}
				hint={t.permissionsHint}
				addLabel={t.addPermission}
				placeholder="orders:read"
				problemOf={(entry, above) =>
					above.includes(entry) ? t.lineProblems.repeated : permissionProblem(entry, t.lineProblems)
				}
			/>
			<ListField
				{...field("permission_descriptions")}
				label={t.permissionDescriptions}
				hint={t.permissionDescriptionsHint}
				addLabel={t.addDescription}
				problemOf={(entry) => descriptionProblem(entry, linesOf(values.permissions), t.lineProblems)}
				optional
			/>
		</FormDialog>
	);
}
