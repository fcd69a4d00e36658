// Asks before a mail is tried again.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { isolateRuns } from "../../words/isolate.ts";
import { useWords } from "../../words/words.ts";

interface ResendDialogProps {
	readonly mail: Schemas["Mail"];
	readonly onClose: () => void;
	readonly onResent: () => void;
}

export function ResendDialog({ mail, onClose, onResent }: ResendDialogProps) {
	const t = useWords("console-settings").mail;
	const resend = useAction(async () => {
		await call("POST /mails/{id}/resend", { path: { id: mail.id } });
		announce(t.resent);
		onClose();
		onResent();
	});
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.resendTitle}
			confirmLabel={mail.state === "failed" ? t.resend : t.sendNow}
			tone="primary"
			onConfirm={resend.run}
			pending={resend.isPending}
			error={resend.error}
		>
			<p>
				<strong>
					<bdi>{isolateRuns(mail.subject)}</bdi>
				</strong>
			</p>
			<p>{t.resendText(mail.to)}</p>
		</ConfirmDialog>
	);
}
