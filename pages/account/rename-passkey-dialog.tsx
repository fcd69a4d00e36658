// Names a passkey.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import type { Passkey } from "./factors.ts";

const NAME_MAX = 100;

interface RenamePasskeyDialogProps {
	readonly passkey: Passkey;
	readonly onClose: () => void;
	readonly onRenamed: () => void;
}

export function RenamePasskeyDialog({ passkey, onClose, onRenamed }: RenamePasskeyDialogProps) {
	const t = useWords("account");
	const [name, setName] = useState(passkey.name);
	const rename = useAction(async () => {
		await call("PATCH /users/me/mfa/passkeys/{id}", { path: { id: passkey.id }, body: { name } });
		onRenamed();
		onClose();
		announce(t.passkeyRenamed);
	});
	return (
		<FormDialog onClose={onClose} title={t.rename} submitLabel={t.save} action={rename} size="small">
			<TextInput
				name="name"
				label={t.passkeyName}
				value={name}
				onValue={setName}
				limit={NAME_MAX}
				autoFocus
			/>
		</FormDialog>
	);
}
