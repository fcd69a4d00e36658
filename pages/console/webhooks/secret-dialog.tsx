// The secret of a webhook, shown once.

import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretBox } from "../../ui/secret-box.tsx";
import { useWords } from "../../words/words.ts";

export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
	const t = useWords("console-settings").webhooks;
	return (
		<Dialog
			open
			isBlocking
			onClose={onClose}
			title={t.secretTitle}
			actions={
				<Button variant="primary" onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<SecretBox warning={t.secretWarning} secrets={[{ label: t.secret, value: secret }]} />
		</Dialog>
	);
}
