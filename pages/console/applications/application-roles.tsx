// The roles of an application: named sets of permissions.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { shield, trash } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { ApplicationName } from "./application-name.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import "./permissions.css";

type Role = Schemas["ApplicationRole"];
interface Asked {
	readonly what: "edit" | "delete";
	readonly role: Role;
}

export function ApplicationRoles({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const state = useListState();
	const list = usePage("GET /applications/{id}/roles", state, { path: { id: application.id } });
	const [asked, setAsked] = useState<Asked>();
	const close = () => setAsked(undefined);
	const changed = () => {
		forgetQueries(`GET /applications/${application.id}/roles`);
		forgetQueries("GET /applications/{id}");
		list.reload();
	};
	const roleDialog = (onClose: () => void, role?: Role) => (
		<RoleDialog application={application} role={role} onClose={onClose} onChanged={changed} />
	);
	return (
		<>
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
								{ label: t.editRole, onSelect: () => setAsked({ what: "edit", role }) },
								{
									label: t.deleteRole,
									icon: trash,
									tone: "danger",
									onSelect: () => setAsked({ what: "delete", role }),
								},
							]
						: undefined
				}
			/>
			{asked?.what === "edit" && roleDialog(close, asked.role)}
			{asked?.what === "delete" && <DeleteRole role={asked.role} onClose={close} onChanged={changed} />}
		</>
	);
}

interface DeleteRoleProps {
	readonly role: Role;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

function DeleteRole({ role: { app_id, id, name }, onClose, onChanged }: DeleteRoleProps) {
	const t = useWords("console-access").applications;
	return (
		<ConfirmAction
			title={t.deleteRoleTitle(name)}
			submitLabel={t.deleteRoleIt}
			typeToConfirm={name}
			act={() => call("DELETE /applications/{id}/roles/{role_id}", { path: { id: app_id, role_id: id } })}
			done={t.roleDeleted(name)}
			onClose={onClose}
			onDone={onChanged}
		>
			{t.deleteRoleText}
		</ConfirmAction>
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
