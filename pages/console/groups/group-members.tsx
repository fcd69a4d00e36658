// The members of a group: lists, adds and removes them.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { people, plus, trash } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { AddMembersDialog } from "./add-members-dialog.tsx";

type Member = Schemas["GroupMember"];

const memberName = ({ display_name, username }: Member) => display_name || username;

export function GroupMembers({ group }: { readonly group: Schemas["Group"] }) {
	const t = useWords("console-access").groups;
	const state = useListState();
	const list = usePage("GET /groups/{id}/members", state, { path: { id: group.id } });
	const [isAdding, setAdding] = useState(false);
	const [removed, setRemoved] = useState<Member>();
	const add = isAdmin() && (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{t.addPeople}
		</Button>
	);
	return (
		<div class="lk-stack">
			<FilterBar isFiltered={false} onReset={state.reset} actions={add}>
				<p class="lk-muted">{t.membersText}</p>
			</FilterBar>
			<PagedTable
				list={list}
				state={state}
				caption={t.tabs.members}
				rowKey={({ user_id }) => user_id}
				rowName={memberName}
				hrefOf={({ user_id }) => `/console/people/${user_id}`}
				empty={
					<EmptyState icon={people} title={t.nobody}>
						{t.nobodyText}
					</EmptyState>
				}
				columns={[
					{
						key: "who",
						header: t.member,
						cell: (member) => <Identity name={memberName(member)} detail={member.email} />,
					},
					{
						key: "status",
						header: t.status,
						cell: ({ status }) => (
							<Badge dot tone={status === "active" ? "success" : "neutral"}>
								{t.statuses[status]}
							</Badge>
						),
					},
					{ key: "since", header: t.since, cell: ({ added_at }) => <Time at={added_at} format="date" /> },
				]}
				rowActions={
					isAdmin()
						? (member) => [
								{ label: t.removeAsk, icon: trash, tone: "danger", onSelect: () => setRemoved(member) },
							]
						: undefined
				}
			/>
			{isAdding && <AddMembersDialog group={group} onClose={() => setAdding(false)} onAdded={list.reload} />}
			{removed !== undefined && (
				<ConfirmAction
					title={t.removeTitle(memberName(removed), group.name)}
					confirmLabel={t.removeIt}
					act={() =>
						call("DELETE /groups/{id}/members/{user_id}", {
							path: { id: group.id, user_id: removed.user_id },
						})
					}
					done={t.removed(memberName(removed))}
					onClose={() => setRemoved(undefined)}
					onDone={list.reload}
				>
					{t.removeText}
				</ConfirmAction>
			)}
		</div>
	);
}
