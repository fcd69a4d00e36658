// `/console/groups/{id}`: who is in a group, and what its members may use.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { trash } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useScreenTitle } from "../screen-title.ts";
import { useTab } from "../use-tab.ts";
import { DeleteGroupDialog } from "./delete-group-dialog.tsx";
import { GroupApplications } from "./group-applications.tsx";
import { GroupDialog } from "./group-dialog.tsx";
import { GroupMembers } from "./group-members.tsx";

const TABS = ["members", "applications"] as const;

export function Group({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-access").groups;
	const { data, error, isLoading, reload } = useQuery(`GET /groups/${id}`, (signal) =>
		call("GET /groups/{id}", { path: { id }, signal }),
	);
	const group = data?.data;
	const name = group?.name ?? t.group;
	useScreenTitle(name, [{ label: t.title, href: "/console/groups" }, { label: name }]);
	if (group !== undefined) return <Record group={group} reload={reload} />;
	if (error === undefined) return <Skeleton lines={8} />;
	return <LoadError error={error} onRetry={reload} pending={isLoading} />;
}

interface RecordProps {
	readonly group: Schemas["Group"];
	readonly reload: () => void;
}

function Record({ group, reload }: RecordProps) {
	const t = useWords("console-access").groups;
	const [tab, setTab] = useTab(TABS);
	const [asked, setAsked] = useState<"edit" | "delete">();
	const close = () => setAsked(undefined);
	return (
		<>
			<PageHeader
				title={group.name}
				description={group.description && <bdi>{group.description}</bdi>}
				actions={
					isAdmin() && (
						<>
							<Button onClick={() => setAsked("edit")}>{t.edit}</Button>
							<Button icon={trash} onClick={() => setAsked("delete")}>
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
			{asked === "edit" && (
				<GroupDialog
					group={group}
					onClose={close}
					onChanged={() => {
						forgetQueries("GET /groups");
						reload();
					}}
				/>
			)}
			{asked === "delete" && <DeleteGroupDialog group={group} onClose={close} />}
		</>
	);
}
