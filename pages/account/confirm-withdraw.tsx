// Asks before an application loses what it was allowed.

import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { announce } from "../ui/status-line.tsx";
import { useWords } from "../words/words.ts";

interface ConfirmWithdrawProps {
	readonly consent: Schemas["Consent"];
	readonly onClose: () => void;
	readonly onWithdrawn: () => void;
}

export function ConfirmWithdraw({ consent, onClose, onWithdrawn }: ConfirmWithdrawProps) {
	const t = useWords("account");
	const { id, application } = consent;
	const withdraw = useAction(async () => {
		await call("DELETE /users/me/consents/{id}", { path: { id } });
		onClose();
		onWithdrawn();
		announce(t.withdrawn(application.name));
	});
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.withdrawTitle(application.name)}
			confirmLabel={t.withdraw}
			onConfirm={() => withdraw.run()}
			pending={withdraw.isPending}
			error={withdraw.error}
		>
			{t.withdrawText}
		</ConfirmDialog>
	);
}
