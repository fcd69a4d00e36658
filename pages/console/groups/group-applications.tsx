// What the members of a group may use, with the roles they hold there.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { application, plus, trash } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { GrantRolesDialog } from "../grants/grant-roles-dialog.tsx";
import { RemoveAccessDialog } from "../grants/remove-access-dialog.tsx";
import { RoleBadges } from "../grants/role-badges.tsx";
import { isAdmin } from "../roles.ts";

type Grant = Schemas["GroupGrant"];
type Asked = { readonly what: "roles" | "remove"; readonly grant: Grant };

export function GroupApplications({ group }: { readonly group: Schemas["Group"] }) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const state = useListState();
	const { data, error, isLoading, reload } = usePage("GET /groups/{id}/grants", state, {
		path: { id: group.id },
	});
	const [isAdding, setAdding] = useState(false);
	const [asked, setAsked] = useState<Asked>();
	const subject = { kind: "group", id: group.id, name: group.name } as const;
	const add = isAdmin() && (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{words.giveAccess}
		</Button>
	);
	return (
		<div class="lk-stack">
			<FilterBar isFiltered={false} onReset={state.reset} actions={add}>
				<p class="lk-muted">{t.applicationsText}</p>
			</FilterBar>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{(data !== undefined || error === undefined) && (
				<ApplicationsTable
					rows={data?.data}
					isLoading={isLoading}
					onAsk={(what, grant) => setAsked({ what, grant })}
				/>
			)}
			{data !== undefined && data.total > 0 && (
				<Pagination page={state.page} pageSize={data.page_size} total={data.total} onPage={state.setPage} />
			)}
			{isAdding && <GiveAccessDialog subject={subject} onClose={() => setAdding(false)} onChanged={reload} />}
			{asked !== undefined && (
				<Question asked={asked} subject={subject} onClose={() => setAsked(undefined)} onChanged={reload} />
			)}
		</div>
	);
}

interface QuestionProps {
	readonly asked: Asked;
	readonly subject: { readonly kind: "group"; readonly id: string; readonly name: string };
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

function Question({ asked: { what, grant }, ...props }: QuestionProps) {
	const { app_id: appId, app_name: appName, roles } = grant;
	if (what === "remove") return <RemoveAccessDialog {...props} appId={appId} appName={appName} />;
	return <GrantRolesDialog {...props} appId={appId} appName={appName} roles={roles} />;
}

interface ApplicationsTableProps {
	readonly rows: readonly Grant[] | undefined;
	readonly isLoading: boolean;
	readonly onAsk: (what: Asked["what"], grant: Grant) => void;
}

function ApplicationsTable({ rows, isLoading, onAsk }: ApplicationsTableProps) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	return (
		<Table
			caption={t.tabs.applications}
			rows={rows}
			expectedRows={3}
			rowKey={({ id }) => id}
			rowName={({ app_name }) => app_name}
			hrefOf={({ app_id }) => `/console/applications/${app_id}`}
			isLoading={isLoading}
			empty={
				<EmptyState icon={application} title={t.noApplications}>
					{t.noApplicationsText}
				</EmptyState>
			}
			columns={[
				{ key: "name", header: t.application, cell: ({ app_name }) => <bdi>{app_name}</bdi> },
				{ key: "roles", header: words.roles, cell: ({ roles }) => <RoleBadges roles={roles} /> },
				{ key: "since", header: t.since, cell: ({ created_at }) => <Time at={created_at} format="date" /> },
			]}
			rowActions={
				isAdmin()
					? (grant) => [
							{ label: words.changeRoles, onSelect: () => onAsk("roles", grant) },
							{
								label: words.removeAccessAsk,
								icon: trash,
								tone: "danger",
								onSelect: () => onAsk("remove", grant),
							},
						]
					: undefined
			}
		/>
	);
}
