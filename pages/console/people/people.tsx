// `/console/people`: all users of the tenant, with one search.

import { navigate } from "wouter-preact/use-browser-location";
import { type ListState, useListState, usePage } from "../../api/list-state.ts";
import type { Query } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { useCall } from "../../api/use-call.ts";
import { people as peopleShape } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { Link } from "../../ui/link.tsx";
import { List } from "../../ui/list.tsx";
import { useSelection } from "../../ui/selection.ts";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { BulkBar } from "../bulk/bulk-bar.tsx";
import { ExportFile } from "../export/export-file.tsx";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { peopleActions } from "./people-actions.tsx";
import { peopleFilters, StatusFilter, sortOf, textOf } from "./people-filters.tsx";
import { AddPersonDialog } from "./person-dialogs.tsx";
import { nameOf } from "./person-rules.ts";
import { RoleBadges, StatusBadge } from "./status-badge.tsx";

const FILTERS = ["q", "status", "role", "locked", "inactive_since", "sort"];

export function People() {
	const t = useWords("console-people");
	const { grants } = useWords("console-access");
	useScreenTitle(t.title);
	const state = useListState({ filters: FILTERS });
	const list = usePeople(state);
	const selection = useSelection(list.data?.data.map(({ id }) => id) ?? []);
	return (
		<List
			title={t.title}
			description={t.description}
			search={t.searchLabel}
			controls={<StatusFilter state={state} />}
			filters={peopleFilters(state.values, t)}
			actions={
				<>
					<Link href="/console/support" variant="quiet">
						{t.supportSessions.title}
					</Link>
					<ExportFile list="people" route="GET /users" state={state} />
				</>
			}
			add={
				isAdmin() && {
					label: t.add,
					dialog: (close) => (
						<AddPersonDialog onClose={close} onAdded={({ id }) => navigate(`/console/people/${id}`)} />
					),
				}
			}
			list={list}
			state={state}
			caption={t.title}
			columns={columnsOf(t)}
			sort={sortOf(state.values.sort)}
			onSort={(sort) => state.set("sort", textOf(sort))}
			rowKey={({ id }) => id}
			rowName={nameOf}
			selection={isAdmin() ? selection : undefined}
			hrefOf={({ id }) => `/console/people/${id}`}
			noMatch={{ title: t.noMatch, text: t.noMatchText }}
			none={{ icon: peopleShape, title: t.noOne, text: t.noOneText }}
		>
			{isAdmin() && (
				<BulkBar
					rows={list.data?.data ?? []}
					nameOf={nameOf}
					selection={selection}
					actions={peopleActions(t, grants)}
					onDone={list.reload}
				/>
			)}
		</List>
	);
}

function columnsOf(t: WordsOf<"console-people">): readonly Column<User>[] {
	return [
		{
			key: "name",
			header: t.person,
			sortable: true,
			cell: (user) => <Identity name={nameOf(user)} detail={user.email} />,
		},
		{
			key: "username",
			header: t.username,
			sortable: true,
			width: "11rem",
			narrow: "hidden",
			cell: ({ username }) => <bdi>{username}</bdi>,
		},
		{
			key: "status",
			header: t.status,
			cell: ({ status }) => <StatusBadge status={status} />,
			isDefault: ({ status }) => status === "active",
		},
		{
			key: "roles",
			header: t.roles,
			cell: ({ roles }) => <RoleBadges roles={roles} />,
			isDefault: ({ roles }) => roles.length === 0,
		},
		{
			key: "last_login_at",
			header: t.lastSignIn,
			sortable: true,
			narrow: "end",
			cell: ({ last_login_at: at }) => <Time at={at} none={t.never} />,
		},
	];
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A page of people by the state of the list. A complete ID in the search finds that person. */
function usePeople(state: ListState): Query<Schemas["UserPage"]> {
	const typed = (state.settled.q ?? "").trim().toLowerCase();
	const id = ID.test(typed) ? typed : undefined;
	const page = usePage("GET /users", state);
	const byId = useCall("GET /users/{id}", id === undefined ? undefined : { path: { id } });
	const person = byId.data?.data;
	if (id === undefined || person?.id !== id) return { ...page, isLoading: page.isLoading || byId.isLoading };
	return { ...byId, data: { data: [person], total: 1, page: 1, page_size: 1 } };
}
