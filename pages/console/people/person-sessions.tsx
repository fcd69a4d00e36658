// Where a person is signed in.

import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { signOut } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { confirmAction } from "../dialogs.tsx";
import { type Details, usePart } from "./person-details.ts";

type Session = Schemas["Session"];
const PAGE_SIZE = 5;

interface PersonSessionsProps {
	readonly user: Details;
	/** Undefined if the user may not revoke them. */
	readonly onEndAll: (() => void) | undefined;
	/** Called after a session was revoked. */
	readonly onEnded: () => void;
}

export function PersonSessions({ user, onEndAll, onEnded }: PersonSessionsProps) {
	const t = useWords("console-people");
	const { rows, pages, error, isLoading, reload } = usePart(user.sessions, {
		key: `GET /users/${user.id}/sessions`,
		pageSize: PAGE_SIZE,
		load: (query, signal) => call("GET /users/{id}/sessions", { path: { id: user.id }, query, signal }),
	});
	const end = (session: Session) =>
		confirmAction({
			title: t.endSession,
			text: t.endSessionText(t.deviceName(session)),
			submitLabel: t.endSession,
			tone: "primary",
			act: () =>
				call("DELETE /users/{id}/sessions/{session_id}", { path: { id: user.id, session_id: session.id } }),
			done: t.sessionEnded,
			onDone: onEnded,
		});
	const hasSessions = user.sessions.total > 0;
	return (
		<Card
			title={t.sessions}
			flush
			actions={
				hasSessions && onEndAll !== undefined ? (
					<Button size="small" onClick={onEndAll}>
						{t.endSessions}
					</Button>
				) : undefined
			}
			footer={pages && <Pagination {...pages} />}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} />}
			{!hasSessions ? (
				<p class="lk-person-empty">{t.noSessions}</p>
			) : (
				<Table
					caption={t.sessions}
					columns={columnsOf(t)}
					rows={rows}
					rowKey={({ id }) => id}
					rowName={t.deviceName}
					rowActions={
						onEndAll && ((one) => [{ label: t.endSession, icon: signOut, onSelect: () => end(one) }])
					}
					isLoading={isLoading}
					expectedRows={2}
				/>
			)}
		</Card>
	);
}

function columnsOf(t: WordsOf<"console-people">): readonly Column<Session>[] {
	return [
		{
			key: "device",
			header: t.device,
			cell: (session) => (
				<span class="lk-row" title={session.user_agent}>
					<bdi>{t.deviceName(session)}</bdi>
					{session.current && <Badge tone="info">{t.thisSession}</Badge>}
					{session.app_id !== null && <Badge>{t.inApplication}</Badge>}
				</span>
			),
		},
		{ key: "ip", header: t.address, cell: ({ ip }) => <span dir="ltr">{ip}</span> },
		{ key: "last_used_at", header: t.lastUsed, cell: ({ last_used_at: at }) => <Time at={at} /> },
		{ key: "expires_at", header: t.expires, cell: ({ expires_at: at }) => <Time at={at} /> },
	];
}
