// The applications of a group, with its roles there.

import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { application } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { useEndColumn } from "../grants/end-column.tsx";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { useGrantActions } from "../grants/grant-actions.tsx";
import { RoleBadges } from "../grants/role-badges.tsx";
import { isAdmin } from "../roles.ts";

export function GroupApplications({ group }: { readonly group: Schemas["Group"] }) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const endColumn = useEndColumn();
	const state = useListState();
	const list = usePage("GET /groups/{id}/grants", state, {
		path: { id: group.id },
		query: { sort: "expires_at" },
	});
	const subject = { kind: "group", id: group.id, name: group.name } as const;
	const { rowActions, dialog } = useGrantActions<Schemas["GroupGrant"]>(
		({ app_id, app_name, roles, expires_at: end }) => ({
			appId: app_id,
			appName: app_name,
			subject,
			roles,
			end,
		}),
		list.reload,
	);
	return (
		<>
			<List
				controls={<p class="lk-muted">{t.applicationsText}</p>}
				add={
					isAdmin() && {
						label: words.giveAccess,
						dialog: (close) => <GiveAccessDialog subject={subject} onClose={close} onChanged={list.reload} />,
					}
				}
				list={list}
				state={state}
				caption={t.tabs.applications}
				expectedRows={3}
				rowKey={({ id }) => id}
				rowName={({ app_name }) => app_name}
				hrefOf={({ app_id }) => `/console/applications/${app_id}`}
				none={{ icon: application, title: t.noApplications, text: t.noApplicationsText }}
				columns={[
					{ key: "name", header: t.application, cell: ({ app_name }) => <bdi>{app_name}</bdi> },
					{ key: "roles", header: words.roles, cell: ({ roles }) => <RoleBadges roles={roles} /> },
					{ key: "since", header: t.since, cell: ({ created_at }) => <Time at={created_at} format="date" /> },
					endColumn,
				]}
				rowActions={rowActions}
			/>
			{dialog}
		</>
	);
}
