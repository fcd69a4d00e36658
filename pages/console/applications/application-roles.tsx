// The roles of an application: named sets of permissions.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { shield, trash } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { useWords } from "../../words/words.ts";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { isAdmin } from "../roles.ts";
import { ApplicationName } from "./application-name.tsx";
import "./permissions.css";
import { ROLE_DESCRIPTION_MAX, ROLE_NAME_MAX } from "../../api/limits.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { ListField } from "../editing/list-field.tsx";
import { descriptionIn, descriptionProblem, lineOf, permissionProblem } from "./line-problems.ts";

type Role = Schemas["ApplicationRole"];
export function ApplicationRoles({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const state = useListState();
	const list = usePage("GET /applications/{id}/roles", state, { path: { id: application.id } });
	const changed = () => {
		forgetQueries(`GET /applications/${application.id}/roles`);
		forgetQueries("GET /applications/{id}");
		list.reload();
	};
	const roleDialog = (onClose: () => void, role?: Role) => (
		<RoleDialog application={application} role={role} onClose={onClose} onChanged={changed} />
	);
	const remove = ({ id: role_id, name }: Role) =>
		confirmAction({
			title: t.deleteRoleTitle(name),
			text: t.deleteRoleText,
			submitLabel: t.deleteRoleIt,
			typeToConfirm: name,
			act: () => call("DELETE /applications/{id}/roles/{role_id}", { path: { id: application.id, role_id } }),
			done: t.roleDeleted(name),
			onDone: changed,
		});
	return (
		<List
			controls={<p class="lk-muted">{t.rolesText}</p>}
			add={isAdmin() && { label: t.addRole, dialog: roleDialog }}
			list={list}
			state={state}
			caption={t.tabs.roles}
			expectedRows={3}
			rowKey={({ id }) => id}
			rowName={({ name }) => name}
			none={{ icon: shield, title: t.noRoles, text: t.noRolesText }}
			columns={[
				{
					key: "name",
					header: t.role,
					cell: ({ name, description }) => <ApplicationName name={name} detail={description} />,
				},
				{
					key: "permissions",
					header: t.permissions,
					cell: ({ permissions }) => <Permissions permissions={permissions} />,
				},
			]}
			rowActions={
				isAdmin()
					? (role) => [
							{ label: t.editRole, onSelect: () => openDialog((close) => roleDialog(close, role)) },
							{ label: t.deleteRole, icon: trash, tone: "danger", onSelect: () => remove(role) },
						]
					: undefined
			}
		/>
	);
}

const SHOWN_MAX = 8;

/** The permissions of a role; the first few and a count of the others. */
function Permissions({ permissions }: { readonly permissions: readonly string[] }) {
	const t = useWords("console-access").applications;
	const [isOpen, setOpen] = useState(false);
	if (permissions.length === 0) return <span class="lk-muted">–</span>;
	const shown = isOpen ? permissions : permissions.slice(0, SHOWN_MAX);
	const more = permissions.length - shown.length;
	return (
		<span class="lk-permissions">
			{shown.map((permission) => (
				<code key={permission} class="lk-permissions__one">
					{permission}
				</code>
			))}
			{more > 0 && (
				<button type="button" class="lk-permissions__more" onClick={() => setOpen(true)}>
					{t.more(more)}
				</button>
			)}
		</span>
	);
}

interface RoleDialogProps {
	readonly application: Pick<Schemas["Application"], "id" | "name">;
	/** Undefined for a new role. */
	readonly role?: Schemas["ApplicationRole"] | undefined;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

function RoleDialog({ application, role, onClose, onChanged }: RoleDialogProps) {
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
				label={t.name}
				hint={t.roleNameHint}
				limit={ROLE_NAME_MAX}
				required
				code
				autoFocus
			/>
			<TextInput {...field("description")} label={t.whatFor} limit={ROLE_DESCRIPTION_MAX} optional />
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
