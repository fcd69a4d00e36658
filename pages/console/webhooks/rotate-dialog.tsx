// Gives a webhook a new secret, and shows it once.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { RegenerateDialog } from "../../dialogs/regenerate-dialog.tsx";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { useWords } from "../../words/words.ts";

interface RotateDialogProps {
	readonly webhook: Schemas["Webhook"];
	readonly onClose: () => void;
	readonly onRotated: () => void;
}

export function RotateDialog({ webhook, onClose, onRotated }: RotateDialogProps) {
	const t = useWords("console-settings").webhooks;
	const [secret, setSecret] = useState<string>();
	if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />;
	return (
		<RegenerateDialog
			onClose={onClose}
			title={t.rotateTitle}
			submitLabel={t.rotate}
			overlapLabel={t.overlap}
			overlaps={t.overlaps}
			regenerate={async (body) => {
				const path = { id: webhook.id };
				setSecret((await call("POST /webhooks/{id}/rotate-secret", { path, body })).data.secret);
				onRotated();
			}}
		>
			<p>{t.rotateText}</p>
		</RegenerateDialog>
	);
}

/** The secret of a webhook, shown once. */
export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
	const t = useWords("console-settings").webhooks;
	return (
		<SecretOnceDialog
			title={t.secretTitle}
			onClose={onClose}
			doneLabel={t.done}
			warning={t.secretWarning}
			secrets={[{ label: t.secret, value: secret }]}
		/>
	);
}
