// `/console/groups/{id}`: the members of a group and its applications.

import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { application, trash } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { deleteRecord, openDialog } from "../dialogs.tsx";
import { useEndColumn } from "../grants/end-column.tsx";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { useGrantActions } from "../grants/grant-actions.tsx";
import { RoleBadges } from "../grants/role-badges.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useTab } from "../use-tab.ts";
import { GroupDialog } from "./group-dialog.tsx";
import { GroupMembers } from "./group-members.tsx";

const TABS = ["members", "applications"] as const;
const LIST = "/console/groups";

export function Group({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-access").groups;
	const query = useCall("GET /groups/{id}", { path: { id } });
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: LIST }}
			nameOf={({ data }) => data.name}
			unnamed={t.group}
		>
			{({ data }) => <Record group={data} reload={query.reload} />}
		</RecordScreen>
	);
}

interface RecordProps {
	readonly group: Schemas["Group"];
	readonly reload: () => void;
}

function Record({ group, reload }: RecordProps) {
	const t = useWords("console-access").groups;
	const [tab, setTab] = useTab(TABS);
	const edit = () => openDialog((close) => <GroupDialog group={group} onClose={close} onChanged={reload} />);
	const remove = () =>
		deleteRecord({
			name: group.name,
			title: t.deleteTitle(group.name),
			text: t.deleteText,
			submitLabel: t.deleteIt,
			done: t.deleted(group.name),
			list: LIST,
			act: () => call("DELETE /groups/{id}", { path: { id: group.id } }),
		});
	return (
		<>
			<PageHeader
				title={group.name}
				meta={<Configured section="groups" name={group.name} managedBy={group.managed_by} />}
				description={group.description && <bdi>{group.description}</bdi>}
				actions={
					isAdmin() && (
						<>
							<Button onClick={edit}>{t.edit}</Button>
							<Button icon={trash} onClick={remove}>
								{t.delete}
							</Button>
						</>
					)
				}
			/>
			<Tabs
				label={group.name}
				selected={tab}
				onSelect={setTab}
				tabs={TABS.map((key) => ({ key, label: t.tabs[key] }))}
			>
				{tab === "members" ? <GroupMembers group={group} /> : <GroupApplications group={group} />}
			</Tabs>
		</>
	);
}

/** With its roles there. */
function GroupApplications({ group }: { readonly group: Schemas["Group"] }) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const endColumn = useEndColumn();
	const state = useListState();
	const list = usePage("GET /groups/{id}/grants", state, {
		path: { id: group.id },
		query: { sort: "expires_at" },
	});
	const subject = { kind: "group", id: group.id, name: group.name } as const;
	const rowActions = useGrantActions<Schemas["GroupGrant"]>((grant) => ({ ...grant, subject }), list.reload);
	return (
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
	);
}
