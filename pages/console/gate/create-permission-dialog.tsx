// Creates a permission that a rule needs. It exists only as a part of a role, so the user chooses the role that gets it.

import { call } from "../../api/client.ts";
import { ROLE_NAME_MAX } from "../../api/limits.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { loadRoles } from "../grants/roles-field.tsx";

interface CreatePermissionDialogProps {
	readonly appId: string;
	readonly permission: string;
	readonly roles: readonly Schemas["ApplicationRole"][];
	readonly onClose: () => void;
	readonly onCreated: () => void;
}

const NEW_ROLE = "";

export function CreatePermissionDialog(props: CreatePermissionDialogProps) {
	const { appId: id, permission, roles, onClose, onCreated } = props;
	const t = useWords("console-gate");
	const { values, field } = useFields({ role_id: roles[0]?.id ?? NEW_ROLE, name: "" });
	const isNew = values.role_id === NEW_ROLE;
	const create = useAction(async () => {
		if (isNew) {
			const body = { name: values.name.trim(), permissions: [permission] };
			await call("POST /applications/{id}/roles", { path: { id }, body });
		} else {
			// Another administrator may have changed the role since the rules were opened.
			const role = (await loadRoles(id)).find((one) => one.id === values.role_id);
			const permissions = [...new Set([...(role?.permissions ?? []), permission])];
			const path = { id, role_id: values.role_id };
			await call("PATCH /applications/{id}/roles/{role_id}", { path, body: { permissions } });
		}
		forgetQueries(`GET /applications/${id}/roles`);
		forgetQueries("GET /applications/{id}");
		announce(t.permissionCreated(permission));
		onCreated();
		onClose();
	});
	return (
		<FormDialog
			size="small"
			onClose={onClose}
			title={t.createTitle(permission)}
			text={t.createText}
			submitLabel={t.createIt}
			action={create}
		>
			<Select
				{...field("role_id")}
				label={t.roleThatGetsIt}
				options={[
					...roles.map(({ id: value, name }) => ({ value, label: name })),
					{ value: NEW_ROLE, label: t.newRole },
				]}
			/>
			{isNew && <TextInput {...field("name")} label={t.roleName} limit={ROLE_NAME_MAX} required code />}
		</FormDialog>
	);
}
