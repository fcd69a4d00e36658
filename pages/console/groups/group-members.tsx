// The members of a group: people are found by name and added.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { people, plus, trash } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { AddMembersDialog } from "./add-members-dialog.tsx";
import { type Member, memberName, RemoveMemberDialog } from "./remove-member-dialog.tsx";

type GroupRecord = Schemas["Group"];

export function GroupMembers({ group }: { readonly group: GroupRecord }) {
	const t = useWords("console-access").groups;
	const state = useListState();
	const { data, error, isLoading, reload } = usePage("GET /groups/{id}/members", state, {
		path: { id: group.id },
	});
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
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{(data !== undefined || error === undefined) && (
				<MembersTable rows={data?.data} isLoading={isLoading} onRemove={setRemoved} />
			)}
			{data !== undefined && data.total > 0 && (
				<Pagination page={state.page} pageSize={data.page_size} total={data.total} onPage={state.setPage} />
			)}
			{isAdding && <AddMembersDialog group={group} onClose={() => setAdding(false)} onAdded={reload} />}
			{removed !== undefined && (
				<RemoveMemberDialog
					group={group}
					member={removed}
					onClose={() => setRemoved(undefined)}
					onChanged={reload}
				/>
			)}
		</div>
	);
}

interface MembersTableProps {
	readonly rows: readonly Member[] | undefined;
	readonly isLoading: boolean;
	readonly onRemove: (member: Member) => void;
}

function MembersTable({ rows, isLoading, onRemove }: MembersTableProps) {
	const t = useWords("console-access").groups;
	return (
		<Table
			caption={t.tabs.members}
			rows={rows}
			rowKey={({ user_id }) => user_id}
			rowName={memberName}
			hrefOf={({ user_id }) => `/console/people/${user_id}`}
			isLoading={isLoading}
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
							{ label: t.removeAsk, icon: trash, tone: "danger", onSelect: () => onRemove(member) },
						]
					: undefined
			}
		/>
	);
}
