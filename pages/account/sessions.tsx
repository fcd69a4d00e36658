// `/account/sessions`: the user's sessions; revokes one, or all others.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useListState, usePage } from "../api/list-state.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type Entry, EntryList } from "../ui/entry-list.tsx";
import { laptop, phone } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Pagination } from "../ui/pagination.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { announce } from "../ui/status-line.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { useAnnouncedAction } from "./announced-action.ts";

export function Sessions() {
	const t = useWords("account");
	const state = useListState();
	const sessions = usePage("GET /users/me/sessions", state);
	const entryOf = useSessionEntry(sessions.reload);
	const page = sessions.data;
	const hasOthers = page !== undefined && page.total > 1;
	return (
		<>
			<PageHeader
				title={t.sections.sessions}
				description={t.sessionsText}
				actions={hasOthers ? <EndOthers onEnded={sessions.reload} /> : undefined}
			/>
			{page === undefined && sessions.error !== undefined && (
				<LoadError error={sessions.error} onRetry={sessions.reload} pending={sessions.isLoading} />
			)}
			{page === undefined && sessions.error === undefined && <Skeleton height="12rem" />}
			{page !== undefined && (
				<div class="lk-stack">
					<Card flush>
						<EntryList label={t.sections.sessions} entries={page.data.map(entryOf)} />
					</Card>
					{page.total > page.page_size && (
						<Pagination
							page={state.page}
							pageSize={page.page_size}
							total={page.total}
							onPage={state.setPage}
						/>
					)}
				</div>
			)}
		</>
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
				<ConfirmDialog
					onClose={() => setOpen(false)}
					title={t.endOthersTitle}
					confirmLabel={t.endOthers}
					action={end}
				>
					{t.endOthersText}
				</ConfirmDialog>
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
