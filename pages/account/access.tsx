// `/account/access`: the applications a user can access, their roles there and the source of each grant; the user's consents.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useListState, usePage } from "../api/list-state.ts";
import type { Schemas } from "../api/routes.ts";
import { ConfirmAction } from "../dialogs/confirm-action.tsx";
import { BadgeList } from "../ui/badge.tsx";
import { application, trash } from "../ui/icons.ts";
import { List } from "../ui/list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { ActorsCard } from "./actors-card.tsx";
import { ConsentsCard } from "./consents-card.tsx";
import { RequestsCard } from "./requests/requests-card.tsx";
import { SupportCard } from "./support-card.tsx";

type Grant = Schemas["UserGrant"];

export function Access() {
	const t = useWords("account");
	const state = useListState();
	const grants = usePage("GET /users/me/grants", state);
	const [returned, setReturned] = useState<Grant>();
	return (
		<List
			title={t.sections.access}
			description={t.accessText}
			list={grants}
			state={state}
			caption={t.sections.access}
			columns={columns(t)}
			rowKey={({ id }) => id}
			rowName={({ app_name }) => app_name}
			rowActions={(grant) =>
				grant.group_id === null
					? [{ label: t.giveBack, icon: trash, tone: "danger", onSelect: () => setReturned(grant) }]
					: []
			}
			expectedRows={3}
			none={{ icon: application, title: t.noAccess, text: t.noAccessText }}
		>
			<SupportCard />
			<ActorsCard />
			<RequestsCard />
			<ConsentsCard />
			{returned !== undefined && (
				<ConfirmAction
					title={t.giveBackTitle(returned.app_name)}
					submitLabel={t.giveBack}
					act={() => call("DELETE /users/me/grants/{id}", { path: { id: returned.id } })}
					done={t.givenBack(returned.app_name)}
					onClose={() => setReturned(undefined)}
					onDone={grants.reload}
				>
					{t.giveBackText}
				</ConfirmAction>
			)}
		</List>
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
		{
			key: "ends",
			header: t.ends,
			cell: ({ expires_at }) => <Time at={expires_at} format="datetime" none={t.noEnd} />,
		},
	];
}
