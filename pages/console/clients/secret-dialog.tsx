// The Secret of a client, shown once: to copy, or to save with what belongs to it.

import { environmentFile, environmentFileName } from "../../claim/environment-file.ts";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { useWords } from "../../words/words.ts";
import type { ClientWithSecret } from "./client-record.ts";

interface SecretDialogProps {
	readonly client: ClientWithSecret;
	readonly title: string;
	readonly onClose: () => void;
}

export function SecretDialog({ client, title, onClose }: SecretDialogProps) {
	const t = useWords("console-partners").clients;
	return (
		<SecretOnceDialog
			title={title}
			onClose={onClose}
			doneLabel={t.done}
			keptLabel={t.secretKept}
			warning={t.secretOnce}
			secrets={[
				{ label: t.apiKey, value: client.api_key },
				{ label: t.secret, value: client.secret },
			]}
			file={{ name: environmentFileName(client.mode), content: environmentFile(location.origin, client) }}
		/>
	);
}
