// `/account/access`: the applications a user can access, their roles there and the source of each grant; the user's consents.

import { useListState, usePage } from "../api/list-state.ts";
import type { Schemas } from "../api/routes.ts";
import { BadgeList } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { application } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Pagination } from "../ui/pagination.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { ConsentsCard } from "./consents-card.tsx";

type Grant = Schemas["UserGrant"];

export function Access() {
	const t = useWords("account");
	const state = useListState();
	const grants = usePage("GET /users/me/grants", state);
	const page = grants.data;
	const empty = (
		<EmptyState icon={application} title={t.noAccess}>
			{t.noAccessText}
		</EmptyState>
	);
	return (
		<>
			<PageHeader title={t.sections.access} description={t.accessText} />
			<div class="lk-stack">
				{page === undefined && grants.error !== undefined ? (
					<LoadError error={grants.error} onRetry={grants.reload} pending={grants.isLoading} />
				) : (
					<Table
						caption={t.sections.access}
						columns={columns(t)}
						rows={page?.data}
						rowKey={({ id }) => id}
						isLoading={grants.isLoading}
						expectedRows={3}
						empty={empty}
					/>
				)}
				{page !== undefined && page.total > page.page_size && (
					<Pagination page={state.page} pageSize={page.page_size} total={page.total} onPage={state.setPage} />
				)}
				<ConsentsCard />
			</div>
		</>
	);
}

function columns(t: ReturnType<typeof useWords<"account">>): readonly Column<Grant>[] {
	return [
		{ key: "application", header: t.application, cell: ({ app_name }) => <bdi>{app_name}</bdi> },
		{ key: "roles", header: t.roles, cell: ({ roles }) => <BadgeList names={roles} none={t.noRoles} /> },
		{
			key: "through",
			header: t.through,
			cell: ({ group_name }) => (group_name === null ? t.ownGrant : <bdi>{group_name}</bdi>),
		},
		{ key: "since", header: t.since, cell: ({ created_at }) => <Time at={created_at} format="date" /> },
	];
}
