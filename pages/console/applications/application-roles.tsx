// The roles of an application: named sets of permissions.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { plus, shield, trash } from "../../ui/icons.ts";
import { PagedTable } from "../../ui/paged-table.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { ApplicationName } from "./application-name.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import "./permissions.css";

type Role = Schemas["ApplicationRole"];
type Asked = { readonly what: "edit" | "delete"; readonly role: Role } | { readonly what: "add" };

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
	const add = isAdmin() && (
		<Button variant="primary" icon={plus} onClick={() => setAsked({ what: "add" })}>
			{t.addRole}
		</Button>
	);
	return (
		<div class="lk-stack">
			<FilterBar isFiltered={false} onReset={state.reset} actions={add}>
				<p class="lk-muted">{t.rolesText}</p>
			</FilterBar>
			<PagedTable
				list={list}
				state={state}
				caption={t.tabs.roles}
				expectedRows={3}
				rowKey={({ id }) => id}
				rowName={({ name }) => name}
				empty={
					<EmptyState icon={shield} title={t.noRoles}>
						{t.noRolesText}
					</EmptyState>
				}
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
			{(asked?.what === "add" || asked?.what === "edit") && (
				<RoleDialog
					application={application}
					role={asked.what === "edit" ? asked.role : undefined}
					onClose={close}
					onChanged={changed}
				/>
			)}
			{asked?.what === "delete" && <DeleteRole role={asked.role} onClose={close} onChanged={changed} />}
		</div>
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
			confirmLabel={t.deleteRoleIt}
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
