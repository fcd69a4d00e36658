// `/console/groups/{id}`: the members of a group and its applications.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useDelete } from "../../dialogs/use-delete.tsx";
import { Button } from "../../ui/button.tsx";
import { trash } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useWords } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useTab } from "../use-tab.ts";
import { GroupApplications } from "./group-applications.tsx";
import { GroupDialog } from "./group-dialog.tsx";
import { GroupMembers } from "./group-members.tsx";

const TABS = ["members", "applications"] as const;
const LIST = "/console/groups";

export function Group({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-access").groups;
	const query = useQuery(`GET /groups/${id}`, (signal) => call("GET /groups/{id}", { path: { id }, signal }));
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
	const [isEditing, setEditing] = useState(false);
	const deletion = useDelete({
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
							<Button onClick={() => setEditing(true)}>{t.edit}</Button>
							<Button icon={trash} onClick={deletion.ask}>
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
			{isEditing && (
				<GroupDialog
					group={group}
					onClose={() => setEditing(false)}
					onChanged={() => {
						forgetQueries("GET /groups");
						reload();
					}}
				/>
			)}
			{deletion.dialog}
		</>
	);
}
