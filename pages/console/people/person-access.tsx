// What a person has access to: applications, granted directly or through a group, and groups.

import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { useAskedInUrl } from "../../ui/asked-in-url.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { plus } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { openDialog } from "../dialogs.tsx";
import type { Subject } from "../grants/change-grant.ts";
import { useEndColumn } from "../grants/end-column.tsx";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { useGrantActions } from "../grants/grant-actions.tsx";
import { isAdmin } from "../roles.ts";
import { AddToGroupDialog } from "./add-to-group-dialog.tsx";
import { type Details, usePart } from "./person-details.ts";
import { GIVE_HASH, nameOf } from "./person-rules.ts";

const PAGE_SIZE = 10;

type Grant = Schemas["UserGrant"];

interface PersonAccessProps {
	readonly user: Details;
	readonly onChanged: () => void;
}

export function PersonAccess({ user, onChanged }: PersonAccessProps) {
	const t = useWords("console-people");
	const words = useWords("console-access").grants;
	const endColumn = useEndColumn();
	const subject: Subject = { kind: "user", id: user.id, name: nameOf(user) };
	const give = () =>
		openDialog((close) => <GiveAccessDialog subject={subject} onClose={close} onChanged={onChanged} />);
	useAskedInUrl(isAdmin() ? GIVE_HASH : undefined, give);
	const { rows, pages, error, isLoading, reload } = usePart(user.grants, {
		key: `GET /users/${user.id}/grants`,
		pageSize: PAGE_SIZE,
		load: (query, signal) =>
			call("GET /users/{id}/grants", {
				path: { id: user.id },
				query: { ...query, sort: "expires_at" },
				signal,
			}),
	});
	const rowActions = useGrantActions<Grant>((grant) => ({ ...grant, subject }), onChanged);
	return (
		<Card
			title={t.access}
			description={t.accessText}
			actions={
				isAdmin() && (
					<Button size="small" icon={plus} onClick={give}>
						{words.giveAccess}
					</Button>
				)
			}
			flush
			footer={pages && <Pagination {...pages} />}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} />}
			{user.grants.total === 0 ? (
				<p class="lk-person-empty">
					{t.noGrants} {t.noGrantsText}
				</p>
			) : (
				<Table
					caption={t.access}
					columns={[...columnsOf(t), endColumn]}
					rows={rows}
					rowKey={({ id }) => id}
					hrefOf={({ app_id }) => `/console/applications/${app_id}`}
					rowName={({ app_name }) => app_name}
					// What a group gives is changed in the group.
					rowActions={rowActions && ((grant) => (grant.group_id === null ? rowActions(grant) : []))}
					isLoading={isLoading}
					expectedRows={2}
				/>
			)}
		</Card>
	);
}

function columnsOf(t: WordsOf<"console-people">): readonly Column<Grant>[] {
	return [
		{ key: "app_name", header: t.application, cell: ({ app_name }) => <bdi>{app_name}</bdi> },
		{
			key: "source",
			header: t.source,
			cell: ({ group_id, group_name }) =>
				group_id === null ? (
					t.ownGrant
				) : (
					<Link href={`/console/groups/${group_id}`}>
						<bdi>{t.inGroup(group_name ?? "")}</bdi>
					</Link>
				),
		},
		{
			key: "roles",
			header: t.roles,
			cell: ({ roles }) => <BadgeList names={roles} />,
		},
	];
}

/** The groups that a person is in; memberships that end first. */
export function PersonGroups({ user, onChanged }: PersonAccessProps) {
	const t = useWords("console-people");
	const words = useWords("console-access").grants;
	const { rows, pages, error, reload } = usePart(user.groups, {
		key: `GET /users/${user.id}/groups`,
		pageSize: PAGE_SIZE,
		load: (query, signal) =>
			call("GET /users/{id}/groups", {
				path: { id: user.id },
				query: { ...query, sort: "expires_at" },
				signal,
			}),
	});
	const add = () =>
		openDialog((close) => <AddToGroupDialog user={user} onClose={close} onAdded={onChanged} />);
	return (
		<Card
			title={t.groups}
			actions={
				isAdmin() && (
					<Button size="small" icon={plus} onClick={add}>
						{t.addToGroup}
					</Button>
				)
			}
			footer={pages && <Pagination {...pages} />}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} />}
			{rows === undefined && error === undefined && <Skeleton lines={2} />}
			{user.groups.total === 0 && <span class="lk-muted">{t.noGroups}</span>}
			{rows !== undefined && rows.length > 0 && (
				<ul class="lk-person-groups">
					{rows.map(({ group_id, name, expires_at }) => (
						<li key={group_id}>
							<Link href={`/console/groups/${group_id}`}>
								<bdi>{name}</bdi>
							</Link>
							{expires_at !== null && (
								<span class="lk-muted">
									{words.end}: <Time at={expires_at} format="datetime" />
								</span>
							)}
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
