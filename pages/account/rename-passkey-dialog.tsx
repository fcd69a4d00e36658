// Names a passkey.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useUniqueId } from "../ui/unique-id.ts";
import { uiWords } from "../ui/words.ts";
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
	const formId = useUniqueId();
	const rename = useAction(async () => {
		await call("PATCH /users/me/mfa/passkeys/{id}", { path: { id: passkey.id }, body: { name } });
		onRenamed();
		onClose();
		announce(t.passkeyRenamed);
	});
	const actions = (
		<>
			<Button onClick={onClose}>{uiWords().cancel}</Button>
			<Button type="submit" form={formId} variant="primary" pending={rename.isPending}>
				{t.save}
			</Button>
		</>
	);
	return (
		<Dialog open onClose={onClose} title={t.rename} actions={actions} size="small">
			<Form id={formId} onSubmit={() => rename.run()} error={rename.error} pending={rename.isPending}>
				<TextInput
					name="name"
					label={t.passkeyName}
					value={name}
					onValue={setName}
					limit={NAME_MAX}
					autoFocus
				/>
			</Form>
		</Dialog>
	);
}
