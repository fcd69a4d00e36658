// The new key, shown once, with a first call to try it.

import type { Schemas } from "../../api/routes.ts";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { useWords } from "../../words/words.ts";

export interface CreatedKeyDialogProps {
	readonly created: Schemas["AdminKeyWithKey"];
	readonly onClose: () => void;
}

export function CreatedKeyDialog({ created, onClose }: CreatedKeyDialogProps) {
	const t = useWords("console-settings").keys;
	// The key itself stays out of the shell's history.
	const code = `curl -sS ${location.origin}/api/v1/users \\\n  -H "Authorization: Bearer $LATCHKEY_ADMIN_KEY"`;
	return (
		<SecretOnceDialog
			title={t.keyTitle}
			onClose={onClose}
			doneLabel={t.done}
			warning={t.keyWarning}
			secrets={[{ label: t.key, value: created.key }]}
			file={{ name: "latchkey-admin-key.env", content: `LATCHKEY_ADMIN_KEY=${created.key}\n` }}
		>
			<CodeBlock label={t.use} snippets={[{ key: "curl", label: "curl", code }]} />
		</SecretOnceDialog>
	);
}
