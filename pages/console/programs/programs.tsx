// `/console/programs`: the programs that reviewers approved.

import { useListState, usePage } from "../../api/list-state.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { robot } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Select } from "../../ui/select.tsx";
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
		<>
			<PageHeader title={t.title} description={t.description} />
			<div class="lk-stack">
				<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
					<Select
						{...state.field("status")}
						label={t.status}
						hideLabel
						options={[
							{ value: "", label: t.everyStatus },
							{ value: "active", label: t.statuses.active },
							{ value: "suspended", label: t.statuses.suspended },
						]}
					/>
				</FilterBar>
				<PagedTable
					list={list}
					state={state}
					caption={t.title}
					rowKey={({ application_id }) => application_id}
					hrefOf={({ application_id }) => `/console/programs/${application_id}`}
					empty={
						<EmptyState icon={robot} title={state.isFiltered ? t.noMatch : t.none}>
							{state.isFiltered ? undefined : t.noneText}
						</EmptyState>
					}
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
			</div>
		</>
	);
}
