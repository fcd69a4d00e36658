// The table of an application's grants.

import type { ComponentChildren } from "preact";
import type { Schemas } from "../../api/routes.ts";
import { trash } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import type { Subject } from "../grants/change-grant.ts";
import { RoleBadges } from "../grants/role-badges.tsx";
import { isAdmin } from "../roles.ts";

type Grant = Schemas["NamedGrant"];

interface GrantsTableProps {
	readonly rows: readonly Grant[] | undefined;
	readonly isLoading: boolean;
	readonly empty: ComponentChildren;
	readonly onAsk: (what: "roles" | "remove", grant: Grant) => void;
}

export function GrantsTable({ rows, isLoading, empty, onAsk }: GrantsTableProps) {
	const t = useWords("console-access").applications;
	const words = useWords("console-access").grants;
	return (
		<Table
			caption={t.tabs.access}
			rows={rows}
			rowKey={({ id }) => id}
			rowName={(grant) => subjectOf(grant).name}
			hrefOf={(grant) => {
				const { kind, id } = subjectOf(grant);
				return kind === "user" ? `/console/people/${id}` : `/console/groups/${id}`;
			}}
			isLoading={isLoading}
			empty={empty}
			columns={[
				{
					key: "who",
					header: t.who,
					cell: (grant) => <Identity name={subjectOf(grant).name} detail={grant.username ?? t.aGroup} />,
				},
				{ key: "roles", header: t.roles, cell: ({ roles }) => <RoleBadges roles={roles} /> },
				{ key: "since", header: t.since, cell: ({ created_at }) => <Time at={created_at} format="date" /> },
			]}
			rowActions={
				isAdmin()
					? (grant) => [
							{ label: words.changeRoles, onSelect: () => onAsk("roles", grant) },
							{
								label: words.removeAccessAsk,
								icon: trash,
								tone: "danger",
								onSelect: () => onAsk("remove", grant),
							},
						]
					: undefined
			}
		/>
	);
}

export function subjectOf({ user_id, group_id, display_name, username, group_name }: Grant): Subject {
	if (user_id !== undefined) return { kind: "user", id: user_id, name: display_name || username || user_id };
	return { kind: "group", id: group_id ?? "", name: group_name ?? "" };
}
