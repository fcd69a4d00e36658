// Who can use an application, with their roles: people, groups, API clients, and programs.

import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { people } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { ExportFile } from "../export/export-file.tsx";
import type { Subject } from "../grants/change-grant.ts";
import { useEndColumn } from "../grants/end-column.tsx";
import { GiveAccessDialog } from "../grants/give-access-dialog.tsx";
import { useGrantActions } from "../grants/grant-actions.tsx";
import { RoleBadges } from "../grants/role-badges.tsx";
import { ManagersCard } from "../managers-card.tsx";
import { isAdmin } from "../roles.ts";
import { RequestableCard } from "./requestable-card.tsx";

type Grant = Schemas["NamedGrant"];

interface ApplicationGrantsProps {
	readonly application: Schemas["Application"];
	readonly onChanged: () => void;
}

export function ApplicationGrants({ application, onChanged }: ApplicationGrantsProps) {
	const t = useWords("console-access").applications;
	const words = useWords("console-access").grants;
	const endColumn = useEndColumn();
	const { id, name } = application;
	const state = useListState({ filters: ["q", "kind", "sort"] });
	const list = usePage("GET /applications/{id}/grants", state, { path: { id } });
	const rowActions = useGrantActions<Grant>(
		(grant) => ({ ...grant, app_id: id, app_name: name, subject: subjectOf(grant) }),
		list.reload,
	);
	const kinds = { user: t.people, group: t.groups, api_client: t.apiClients, program: t.programs };
	return (
		<List
			before={application.access_policy === "open" && <Notice>{t.openNotice}</Notice>}
			search={t.searchGrants}
			filters={[
				{ name: "kind", label: t.kind, any: t.peopleAndGroups, options: kinds },
				{ name: "sort", label: words.order, any: words.newest, options: { expires_at: words.endsFirst } },
			]}
			actions={<ExportFile list="grants" route="GET /applications/{id}/grants" path={{ id }} state={state} />}
			add={
				isAdmin() && {
					label: words.giveAccess,
					hash: "#access/give",
					dialog: (close) => (
						<GiveAccessDialog application={{ id, name }} onClose={close} onChanged={list.reload} />
					),
				}
			}
			list={list}
			state={state}
			caption={t.tabs.access}
			rowKey={(grant) => grant.id}
			rowName={(grant) => subjectOf(grant).name}
			hrefOf={(grant) => {
				const { kind, id: subjectId } = subjectOf(grant);
				return `/console/${PLACE_OF[kind]}/${subjectId}`;
			}}
			noMatch={{ title: t.noMatch }}
			none={{
				icon: people,
				title: t.nobody,
				text: application.access_policy === "open" ? t.nobodyOpen : t.nobodyAssigned,
			}}
			columns={[
				{
					key: "who",
					header: t.who,
					cell: (grant) => (
						<Identity
							name={subjectOf(grant).name}
							detail={grant.username ?? t.aSubject[subjectOf(grant).kind]}
						/>
					),
				},
				{ key: "roles", header: t.roles, cell: ({ roles }) => <RoleBadges roles={roles} /> },
				{ key: "since", header: t.since, cell: ({ created_at }) => <Time at={created_at} format="date" /> },
				endColumn,
				{
					key: "used",
					header: words.lastUsed,
					cell: ({ last_used_at }) => <Time at={last_used_at} format="date" none={words.neverUsed} />,
				},
			]}
			rowActions={rowActions}
		>
			{application.kind === "application" && (
				<RequestableCard application={application} onChanged={onChanged} />
			)}
			<ManagersCard of="applications" id={id} name={name} />
		</List>
	);
}

const PLACE_OF = { user: "people", group: "groups", api_client: "clients", program: "applications" };

function subjectOf(grant: Grant): Subject {
	const { user_id, group_id, api_client_id, program_id } = grant;
	if (user_id !== undefined)
		return { kind: "user", id: user_id, name: grant.display_name || grant.username || user_id };
	if (group_id !== undefined) return { kind: "group", id: group_id, name: grant.group_name ?? group_id };
	if (api_client_id !== undefined)
		return { kind: "api_client", id: api_client_id, name: grant.api_client_name ?? api_client_id };
	return { kind: "program", id: program_id ?? "", name: grant.program_name ?? "" };
}
