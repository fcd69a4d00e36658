// `/console/groups`: the groups of the tenant.

import { useListState, usePage } from "../../api/list-state.ts";
import { group as groupIcon } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { counted } from "../counted.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { GroupDialog } from "./group-dialog.tsx";

export function Groups() {
	const t = useWords("console-access").groups;
	const state = useListState({ filters: ["q"] });
	const list = usePage("GET /groups", state, { query: { include: "usage" } });
	useScreenTitle(t.title);
	return (
		<List
			title={t.title}
			description={t.description}
			search={t.search}
			add={isAdmin() && { label: t.add, dialog: (close) => <GroupDialog onClose={close} /> }}
			list={list}
			state={state}
			caption={t.title}
			rowKey={({ id }) => id}
			hrefOf={({ id }) => `/console/groups/${id}`}
			noMatch={{ title: t.noMatch }}
			none={{ icon: groupIcon, title: t.none, text: t.noneText, offersAdd: true }}
			columns={[
				{ key: "name", header: t.name, cell: ({ name }) => <bdi>{name}</bdi> },
				{
					key: "description",
					header: t.whatFor,
					cell: ({ description }) => <bdi>{description}</bdi>,
					isDefault: ({ description }) => description === "",
					narrow: "plain",
				},
				{
					key: "members",
					header: t.tabs.members,
					align: "end",
					cell: ({ usage }) => counted(usage?.members),
					isDefault: ({ usage }) => usage?.members === 0,
					narrow: "hidden",
				},
				{
					key: "applications",
					header: t.tabs.applications,
					align: "end",
					cell: ({ usage }) => counted(usage?.applications),
					isDefault: ({ usage }) => usage?.applications === 0,
					narrow: "hidden",
				},
				{
					key: "created",
					header: t.created,
					narrow: "end",
					cell: ({ created_at }) => <Time at={created_at} format="date" />,
				},
			]}
		/>
	);
}
