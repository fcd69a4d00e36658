// `/account/sessions`: the user's sessions; revokes one, or all others.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useListState, usePage } from "../api/list-state.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type Entry, EntryList } from "../ui/entry-list.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { laptop, phone } from "../ui/icons.ts";
import { List } from "../ui/list.tsx";
import { announce } from "../ui/status-line.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { useAnnouncedAction } from "./announced-action.ts";

export function Sessions() {
	const t = useWords("account");
	const state = useListState();
	const sessions = usePage("GET /users/me/sessions", state);
	const entryOf = useSessionEntry(sessions.reload);
	return (
		<List
			title={t.sections.sessions}
			description={t.sessionsText}
			actions={(sessions.data?.total ?? 0) > 1 && <EndOthers onEnded={sessions.reload} />}
			list={sessions}
			state={state}
			none={{ icon: laptop, title: t.sections.sessions }}
			rowsOf={(rows) => (
				<Card flush>
					<EntryList label={t.sections.sessions} entries={rows.map(entryOf)} />
				</Card>
			)}
		/>
	);
}

function EndOthers({ onEnded }: { readonly onEnded: () => void }) {
	const t = useWords("account");
	const [isOpen, setOpen] = useState(false);
	const end = useAction(async () => {
		const { data } = await call("POST /users/me/sessions/revoke");
		setOpen(false);
		onEnded();
		announce(t.othersEnded(data.sessions_revoked));
	});
	return (
		<>
			<Button onClick={() => setOpen(true)}>{t.endOthers}</Button>
			{isOpen && (
				<FormDialog
					tone="danger"
					size="small"
					onClose={() => setOpen(false)}
					title={t.endOthersTitle}
					submitLabel={t.endOthers}
					action={end}
					text={t.endOthersText}
				/>
			)}
		</>
	);
}

type Session = Schemas["Session"];

const PHONES = /Android|iPhone|iPad|iOS/;

/** The current session cannot be revoked here; the account menu has "Sign out". */
function useSessionEntry(onEnded: () => void): (session: Session) => Entry {
	const t = useWords("account");
	return (session) => ({
		key: session.id,
		icon: PHONES.test(session.device) ? phone : laptop,
		title: t.device(session),
		badge: session.current ? (
			<Badge tone="info">{t.thisSession}</Badge>
		) : session.app_id === null ? undefined : (
			<Badge>{t.ofApplication}</Badge>
		),
		detail: (
			<>
				{session.ip} · {t.lastActive} <Time at={session.last_used_at} /> · {t.signedIn}{" "}
				<Time at={session.created_at} format="datetime" />
			</>
		),
		actions: session.current ? undefined : <EndButton session={session} onEnded={onEnded} />,
	});
}

function EndButton({ session, onEnded }: { readonly session: Session; readonly onEnded: () => void }) {
	const t = useWords("account");
	const end = useAnnouncedAction(async () => {
		await call("DELETE /users/me/sessions/{id}", { path: { id: session.id } });
		onEnded();
		announce(t.sessionEnded(t.device(session)));
	});
	return (
		<Button size="small" pending={end.isPending} onClick={() => end.run()}>
			{t.end}
			<span class="lk-hidden"> {t.device(session)}</span>
		</Button>
	);
}
