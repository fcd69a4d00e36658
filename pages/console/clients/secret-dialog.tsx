// The Secret of a client, shown once: to copy, or to save with what belongs to it.

import { useState } from "preact/hooks";
import { ENVIRONMENT_FILE, environmentFile } from "../../claim/environment-file.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretBox } from "../../ui/secret-box.tsx";
import { useWords } from "../../words/words.ts";
import type { ClientWithSecret } from "./client-record.ts";

interface SecretDialogProps {
	readonly client: ClientWithSecret;
	readonly title: string;
	readonly onClose: () => void;
}

/** Closes when the user says that the Secret is kept: it cannot be shown again. */
export function SecretDialog({ client, title, onClose }: SecretDialogProps) {
	const t = useWords("console-partners").clients;
	const [isKept, setKept] = useState(false);
	return (
		<Dialog
			open
			isBlocking
			onClose={onClose}
			title={title}
			actions={
				<Button variant="primary" disabled={!isKept} onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<SecretBox
					warning={t.secretOnce}
					secrets={[
						{ label: t.apiKey, value: client.api_key },
						{ label: t.secret, value: client.secret },
					]}
					file={{ name: ENVIRONMENT_FILE, content: environmentFile(location.origin, client) }}
				/>
				<Checkbox name="kept" label={t.secretKept} checked={isKept} onValue={setKept} />
			</div>
		</Dialog>
	);
}
