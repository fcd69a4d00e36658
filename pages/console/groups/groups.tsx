// `/console/groups`: the groups of the tenant.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { group as groupIcon, plus } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { GroupDialog } from "./group-dialog.tsx";

export function Groups() {
	const t = useWords("console-access").groups;
	const state = useListState({ filters: ["q"] });
	const list = usePage("GET /groups", state);
	const [isAdding, setAdding] = useState(false);
	useScreenTitle(t.title);
	const add = isAdmin() && (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{t.add}
		</Button>
	);
	return (
		<>
			<PageHeader title={t.title} description={t.description} actions={add} />
			<div class="lk-stack">
				<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
					<SearchBox {...state.field("q")} label={t.search} />
				</FilterBar>
				<PagedTable
					list={list}
					state={state}
					caption={t.title}
					rowKey={({ id }) => id}
					hrefOf={({ id }) => `/console/groups/${id}`}
					noMatch={{ title: t.noMatch }}
					empty={
						<EmptyState icon={groupIcon} title={t.none} action={add || undefined}>
							{t.noneText}
						</EmptyState>
					}
					columns={[
						{ key: "name", header: t.name, cell: ({ name }) => <bdi>{name}</bdi> },
						{
							key: "description",
							header: t.whatFor,
							cell: ({ description }) =>
								description === "" ? <span class="lk-muted">–</span> : <bdi>{description}</bdi>,
						},
						{
							key: "created",
							header: t.created,
							cell: ({ created_at }) => <Time at={created_at} format="date" />,
						},
					]}
				/>
			</div>
			{isAdding && <GroupDialog onClose={() => setAdding(false)} />}
		</>
	);
}
