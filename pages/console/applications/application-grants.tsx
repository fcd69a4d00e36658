// Who can use an application: users and groups with their roles.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { people, plus, search } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import type { Subject } from "../grants/change-grant.ts";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { useGrantActions } from "../grants/grant-actions.tsx";
import { RoleBadges } from "../grants/role-badges.tsx";
import { isAdmin } from "../roles.ts";

type Grant = Schemas["NamedGrant"];

export function ApplicationGrants({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const words = useWords("console-access").grants;
	const { id, name } = application;
	const state = useListState({ filters: ["q", "kind"] });
	const list = usePage("GET /applications/{id}/grants", state, { path: { id } });
	const [isAdding, setAdding] = useState(false);
	const { rowActions, dialog } = useGrantActions<Grant>(
		(grant) => ({ appId: id, appName: name, subject: subjectOf(grant), roles: grant.roles }),
		list.reload,
	);
	const add = isAdmin() && (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{words.giveAccess}
		</Button>
	);
	return (
		<div class="lk-stack">
			{application.access_policy === "open" && <Notice>{t.openNotice}</Notice>}
			<FilterBar isFiltered={state.isFiltered} onReset={state.reset} actions={add}>
				<SearchBox {...state.field("q")} label={t.searchGrants} />
				<Select
					{...state.field("kind")}
					label={t.kind}
					hideLabel
					options={[
						{ value: "", label: t.peopleAndGroups },
						{ value: "user", label: t.people },
						{ value: "group", label: t.groups },
					]}
				/>
			</FilterBar>
			<PagedTable
				list={list}
				state={state}
				caption={t.tabs.access}
				rowKey={(grant) => grant.id}
				rowName={(grant) => subjectOf(grant).name}
				hrefOf={(grant) => {
					const { kind, id: subjectId } = subjectOf(grant);
					return kind === "user" ? `/console/people/${subjectId}` : `/console/groups/${subjectId}`;
				}}
				empty={
					state.isFiltered ? (
						<EmptyState icon={search} title={t.noMatch} />
					) : (
						<EmptyState icon={people} title={t.nobody}>
							{application.access_policy === "open" ? t.nobodyOpen : t.nobodyAssigned}
						</EmptyState>
					)
				}
				columns={[
					{
						key: "who",
						header: t.who,
						cell: (grant) => <Identity name={subjectOf(grant).name} detail={grant.username ?? t.aGroup} />,
					},
					{ key: "roles", header: t.roles, cell: ({ roles }) => <RoleBadges roles={roles} /> },
					{ key: "since", header: t.since, cell: ({ created_at }) => <Time at={created_at} format="date" /> },
				]}
				rowActions={rowActions}
			/>
			{isAdding && (
				<GiveAccessDialog
					application={{ id, name }}
					onClose={() => setAdding(false)}
					onChanged={list.reload}
				/>
			)}
			{dialog}
		</div>
	);
}

function subjectOf({ user_id, group_id, display_name, username, group_name }: Grant): Subject {
	if (user_id !== undefined) return { kind: "user", id: user_id, name: display_name || username || user_id };
	return { kind: "group", id: group_id ?? "", name: group_name ?? "" };
}
