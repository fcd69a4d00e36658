// `/console/support`: who read what a person sees, and why. Administrators end a session that is open.

import { endSupport } from "../../api/end-support.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { people, signOut } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { List } from "../../ui/list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { confirmAction } from "../dialogs.tsx";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";

type SupportSession = Schemas["SupportSession"];
type Words = WordsOf<"console-people">["supportSessions"];

export function SupportSessions() {
	const t = useWords("console-people").supportSessions;
	useScreenTitle(t.title);
	const state = useListState();
	const list = usePage("GET /support-sessions", state);
	const end = ({ id, supporter_name: supporter, username }: SupportSession) =>
		confirmAction({
			title: t.end,
			text: t.endText(supporter ?? t.formerSupporter, username),
			submitLabel: t.end,
			act: () => endSupport(id),
			done: t.ended,
			onDone: list.reload,
		});
	return (
		<List
			title={t.title}
			description={t.description}
			list={list}
			state={state}
			caption={t.title}
			columns={columnsOf(t)}
			rowKey={({ id }) => id}
			rowName={({ username }) => username}
			rowActions={(one) =>
				isAdmin() && isOpen(one) ? [{ label: t.end, icon: signOut, onSelect: () => end(one) }] : []
			}
			none={{ icon: people, title: t.none, text: t.noneText }}
		/>
	);
}

function isOpen({ ended_at, expires_at }: SupportSession): boolean {
	return ended_at === null && Date.parse(expires_at) > Date.now();
}

function columnsOf(t: Words): readonly Column<SupportSession>[] {
	return [
		{
			key: "username",
			header: t.person,
			cell: ({ user_id, username }) => <Link href={`/console/people/${user_id}`}>{username}</Link>,
		},
		{
			key: "supporter_name",
			header: t.supporter,
			cell: ({ supporter_name: name }) => <bdi>{name ?? t.formerSupporter}</bdi>,
		},
		{
			key: "reason",
			header: t.reason,
			cell: ({ reason, ticket, app_name }) => (
				<>
					<bdi>{reason}</bdi>
					{[ticket, app_name ?? ""].map((more) => more !== "" && <Badge key={more}>{more}</Badge>)}
				</>
			),
		},
		{
			key: "state",
			header: t.state,
			cell: (one) => (
				<Badge tone={isOpen(one) ? "warning" : "plain"}>
					{!isOpen(one) ? t.over : one.opened_at === null ? t.unopened : t.open}
				</Badge>
			),
		},
		{
			key: "created_at",
			header: t.begun,
			cell: ({ opened_at, created_at }) => <Time at={opened_at ?? created_at} />,
		},
		{
			key: "expires_at",
			header: t.until,
			cell: ({ ended_at, expires_at }) => <Time at={ended_at ?? expires_at} />,
		},
	];
}
