// What an application needs to connect. Its secret is shown once: to copy, or to save.

import type { Schemas } from "../../api/routes.ts";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useWords } from "../../words/words.ts";
import { ISSUER, OPENID_FILE, openIdVariables } from "./environment-file.ts";

interface SecretDialogProps {
	readonly client: Schemas["OAuthClientWithSecret"];
	readonly title: string;
	readonly onClose: () => void;
}

/** Without a secret it can be closed at any time. */
export function SecretDialog({ client, title, onClose }: SecretDialogProps) {
	const t = useWords("console-access").openid;
	const { client_id, client_secret } = client;
	const values = (
		<>
			<CopyField label={t.issuer} value={ISSUER} />
			<CopyField label={t.clientId} value={client_id} />
		</>
	);
	const done = (
		<Button variant="primary" onClick={onClose}>
			{t.done}
		</Button>
	);
	if (client_secret === undefined)
		return (
			<Dialog onClose={onClose} title={title} actions={done}>
				<div class="lk-stack">{values}</div>
			</Dialog>
		);
	return (
		<SecretOnceDialog
			title={title}
			onClose={onClose}
			doneLabel={t.done}
			keptLabel={t.secretKept}
			before={values}
			warning={t.secretOnce}
			secrets={[{ label: t.secret, value: client_secret }]}
			file={{ name: OPENID_FILE, content: openIdVariables(client) }}
		/>
	);
}
