// `/console/programs`: the programs that reviewers approved.

import { useListState, usePage } from "../../api/list-state.ts";
import { labels } from "../../ui/filter-bar.tsx";
import { robot } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { ProgramState } from "./program-state.tsx";

export function Programs() {
	const t = useWords("console-partners").programs;
	const state = useListState({ filters: ["status"] });
	const list = usePage("GET /programs", state);
	useScreenTitle(t.title);
	return (
		<List
			title={t.title}
			description={t.description}
			filters={[
				{
					name: "status",
					label: t.status,
					any: t.everyStatus,
					options: labels(["active", "suspended"], t.statuses),
				},
			]}
			list={list}
			state={state}
			caption={t.title}
			rowKey={({ application_id }) => application_id}
			hrefOf={({ application_id }) => `/console/programs/${application_id}`}
			noMatch={{ title: t.noMatch }}
			none={{ icon: robot, title: t.none, text: t.noneText }}
			columns={[
				{ key: "name", header: t.members.client_name, cell: ({ name }) => <bdi>{name}</bdi> },
				{ key: "host", header: t.host, cell: ({ host }) => host },
				{ key: "status", header: t.status, cell: (program) => <ProgramState program={program} /> },
				{
					key: "reviewed",
					header: t.reviewedAt,
					cell: ({ reviewed_at }) => <Time at={reviewed_at} format="date" />,
				},
			]}
		/>
	);
}
