// Who may use an application: people and groups, each with their roles.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { people, plus, search } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import { useWords } from "../../words/words.ts";
import type { Subject } from "../grants/change-grant.ts";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { GrantRolesDialog } from "../grants/grant-roles-dialog.tsx";
import { RemoveAccessDialog } from "../grants/remove-access-dialog.tsx";
import { isAdmin } from "../roles.ts";
import { GrantsTable, subjectOf } from "./grants-table.tsx";

type Grant = Schemas["NamedGrant"];
type Asked = { readonly what: "roles" | "remove"; readonly grant: Grant };

export function ApplicationGrants({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const words = useWords("console-access").grants;
	const state = useListState({ filters: ["q", "kind"] });
	const { data, error, isLoading, reload } = usePage("GET /applications/{id}/grants", state, {
		path: { id: application.id },
	});
	const [isAdding, setAdding] = useState(false);
	const [asked, setAsked] = useState<Asked>();
	const { id, name } = application;
	const add = isAdmin() && (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{words.giveAccess}
		</Button>
	);
	return (
		<div class="lk-stack">
			{application.access_policy === "open" && <Notice>{t.openNotice}</Notice>}
			<FilterBar isFiltered={state.isFiltered} onReset={state.reset} actions={add}>
				<SearchBox
					label={t.searchGrants}
					value={state.values.q ?? ""}
					onValue={(value) => state.set("q", value)}
				/>
				<Select
					name="kind"
					label={t.kind}
					hideLabel
					value={state.values.kind ?? ""}
					onValue={(value) => state.set("kind", value)}
					options={[
						{ value: "", label: t.peopleAndGroups },
						{ value: "user", label: t.people },
						{ value: "group", label: t.groups },
					]}
				/>
			</FilterBar>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{(data !== undefined || error === undefined) && (
				<GrantsTable
					rows={data?.data}
					isLoading={isLoading}
					onAsk={(what, grant) => setAsked({ what, grant })}
					empty={
						state.isFiltered ? (
							<EmptyState icon={search} title={t.noMatch} />
						) : (
							<EmptyState icon={people} title={t.nobody}>
								{application.access_policy === "open" ? t.nobodyOpen : t.nobodyAssigned}
							</EmptyState>
						)
					}
				/>
			)}
			{data !== undefined && data.total > 0 && (
				<Pagination page={state.page} pageSize={data.page_size} total={data.total} onPage={state.setPage} />
			)}
			{isAdding && (
				<GiveAccessDialog application={{ id, name }} onClose={() => setAdding(false)} onChanged={reload} />
			)}
			{asked !== undefined && (
				<Question
					asked={asked}
					subject={subjectOf(asked.grant)}
					appId={id}
					appName={name}
					onClose={() => setAsked(undefined)}
					onChanged={reload}
				/>
			)}
		</div>
	);
}

interface QuestionProps {
	readonly asked: Asked;
	readonly subject: Subject;
	readonly appId: string;
	readonly appName: string;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

function Question({ asked: { what, grant }, ...props }: QuestionProps) {
	if (what === "remove") return <RemoveAccessDialog {...props} />;
	return <GrantRolesDialog {...props} roles={grant.roles} />;
}
