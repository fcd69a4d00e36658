// What the program of an application needs, with its secret, which is shown once: to copy, or to save.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretBox } from "../../ui/secret-box.tsx";
import { useWords } from "../../words/words.ts";
import { ISSUER, OPENID_FILE, openIdVariables } from "./environment-file.ts";

interface SecretDialogProps {
	readonly client: Schemas["OAuthClientWithSecret"];
	readonly title: string;
	readonly onClose: () => void;
}

/** With a secret it closes when the user says that it is kept: it cannot be shown again. */
export function SecretDialog({ client, title, onClose }: SecretDialogProps) {
	const t = useWords("console-access").openid;
	const { client_id, client_secret } = client;
	const [isKept, setKept] = useState(client_secret === undefined);
	return (
		<Dialog
			open
			isBlocking={client_secret !== undefined}
			onClose={onClose}
			title={title}
			actions={
				<Button variant="primary" disabled={!isKept} onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<CopyField label={t.issuer} value={ISSUER} />
				<CopyField label={t.clientId} value={client_id} />
				{client_secret !== undefined && (
					<>
						<SecretBox
							warning={t.secretOnce}
							secrets={[{ label: t.secret, value: client_secret }]}
							file={{ name: OPENID_FILE, content: openIdVariables(client) }}
						/>
						<Checkbox name="kept" label={t.secretKept} checked={isKept} onValue={setKept} />
					</>
				)}
			</div>
		</Dialog>
	);
}
