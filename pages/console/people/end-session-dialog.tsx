// Asks before one session of a person is ended.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

interface EndSessionProps {
	readonly user: User;
	readonly session: Schemas["Session"];
	readonly onClose: () => void;
	readonly onEnded: () => void;
}

export function EndSessionDialog({ user, session, onClose, onEnded }: EndSessionProps) {
	const t = useWords("console-people");
	const { run, isPending, error } = useAction(async () => {
		const path = { id: user.id, session_id: session.id };
		await call("DELETE /users/{id}/sessions/{session_id}", { path });
		announce(t.sessionEnded);
		onEnded();
		onClose();
	});
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.endSession}
			confirmLabel={t.endSession}
			tone="primary"
			onConfirm={run}
			pending={isPending}
			error={error}
		>
			{t.endSessionText(session.device)}
		</ConfirmDialog>
	);
}
