// The roles of an application: named sets of permissions.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { plus, shield, trash } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Table } from "../../ui/table.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { ApplicationName } from "./application-name.tsx";
import { DeleteRoleDialog } from "./delete-role-dialog.tsx";
import { Permissions } from "./permissions.tsx";
import { RoleDialog } from "./role-dialog.tsx";

type Role = Schemas["ApplicationRole"];
type Asked = { readonly what: "edit" | "delete"; readonly role: Role } | { readonly what: "add" };

export function ApplicationRoles({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const state = useListState();
	const { data, error, isLoading, reload } = usePage("GET /applications/{id}/roles", state, {
		path: { id: application.id },
	});
	const [asked, setAsked] = useState<Asked>();
	const close = () => setAsked(undefined);
	const changed = () => {
		forgetQueries(`GET /applications/${application.id}/roles`);
		forgetQueries("GET /applications/{id}");
		reload();
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
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{(data !== undefined || error === undefined) && (
				<RolesTable
					rows={data?.data}
					isLoading={isLoading}
					onAsk={(what, role) => setAsked({ what, role })}
				/>
			)}
			{data !== undefined && data.total > 0 && (
				<Pagination page={state.page} pageSize={data.page_size} total={data.total} onPage={state.setPage} />
			)}
			{(asked?.what === "add" || asked?.what === "edit") && (
				<RoleDialog
					application={application}
					role={asked.what === "edit" ? asked.role : undefined}
					onClose={close}
					onChanged={changed}
				/>
			)}
			{asked?.what === "delete" && <DeleteRoleDialog role={asked.role} onClose={close} onChanged={changed} />}
		</div>
	);
}

interface RolesTableProps {
	readonly rows: readonly Role[] | undefined;
	readonly isLoading: boolean;
	readonly onAsk: (what: "edit" | "delete", role: Role) => void;
}

function RolesTable({ rows, isLoading, onAsk }: RolesTableProps) {
	const t = useWords("console-access").applications;
	return (
		<Table
			caption={t.tabs.roles}
			rows={rows}
			expectedRows={3}
			rowKey={({ id }) => id}
			rowName={({ name }) => name}
			isLoading={isLoading}
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
							{ label: t.editRole, onSelect: () => onAsk("edit", role) },
							{ label: t.deleteRole, icon: trash, tone: "danger", onSelect: () => onAsk("delete", role) },
						]
					: undefined
			}
		/>
	);
}
