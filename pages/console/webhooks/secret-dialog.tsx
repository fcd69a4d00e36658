// The secret of a webhook, shown once.

import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { useWords } from "../../words/words.ts";

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
