// `/account/sessions`: the user's sessions; revokes one, or all others.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useListState, usePage } from "../api/list-state.ts";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Pagination } from "../ui/pagination.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { announce } from "../ui/status-line.tsx";
import { useWords } from "../words/words.ts";
import { useSessionEntry } from "./session-entry.tsx";

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
