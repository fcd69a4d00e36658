// The applications of a group, with its roles there.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { application, plus } from "../../ui/icons.ts";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { useGrantActions } from "../grants/grant-actions.tsx";
import { RoleBadges } from "../grants/role-badges.tsx";
import { isAdmin } from "../roles.ts";

export function GroupApplications({ group }: { readonly group: Schemas["Group"] }) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const state = useListState();
	const list = usePage("GET /groups/{id}/grants", state, { path: { id: group.id } });
	const [isAdding, setAdding] = useState(false);
	const subject = { kind: "group", id: group.id, name: group.name } as const;
	const { rowActions, dialog } = useGrantActions<Schemas["GroupGrant"]>(
		({ app_id, app_name, roles }) => ({ appId: app_id, appName: app_name, subject, roles }),
		list.reload,
	);
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
			<PagedTable
				list={list}
				state={state}
				caption={t.tabs.applications}
				expectedRows={3}
				rowKey={({ id }) => id}
				rowName={({ app_name }) => app_name}
				hrefOf={({ app_id }) => `/console/applications/${app_id}`}
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
				rowActions={rowActions}
			/>
			{isAdding && (
				<GiveAccessDialog subject={subject} onClose={() => setAdding(false)} onChanged={list.reload} />
			)}
			{dialog}
		</div>
	);
}
