// The new key, shown once, with a first call to try it.

import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretBox } from "../../ui/secret-box.tsx";
import { useWords } from "../../words/words.ts";

export interface CreatedKeyDialogProps {
	readonly created: Schemas["AdminKeyWithKey"];
	readonly onClose: () => void;
}

export function CreatedKeyDialog({ created, onClose }: CreatedKeyDialogProps) {
	const t = useWords("console-settings").keys;
	const file = { name: "latchkey-admin-key.env", content: `LATCHKEY_ADMIN_KEY=${created.key}\n` };
	// The key itself stays out of the shell's history.
	const code = `curl -sS ${location.origin}/api/v1/users \\\n  -H "Authorization: Bearer $LATCHKEY_ADMIN_KEY"`;
	return (
		<Dialog
			open
			isBlocking
			onClose={onClose}
			title={t.keyTitle}
			actions={
				<Button variant="primary" onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<SecretBox warning={t.keyWarning} secrets={[{ label: t.key, value: created.key }]} file={file} />
				<CodeBlock label={t.use} snippets={[{ key: "curl", label: "curl", code }]} />
			</div>
		</Dialog>
	);
}
