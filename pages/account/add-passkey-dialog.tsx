// Adds a passkey: its name and the password, then the browser's own dialog.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import { makePasskey } from "../sign-in/passkey.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { OwnerPassword } from "./owner-password.tsx";

const NAME_MAX = 100;

interface AddPasskeyDialogProps {
	readonly onClose: () => void;
	/** With recovery codes when it is the first second factor. */
	readonly onAdded: (recoveryCodes?: readonly string[]) => void;
}

export function AddPasskeyDialog({ onClose, onAdded }: AddPasskeyDialogProps) {
	const t = useWords("account");
	const [name, setName] = useState(t.passkeyNameDefault);
	const [password, setPassword] = useState("");
	const add = useAction(async () => {
		const body = password === "" ? {} : { password };
		const started = await call("POST /users/me/mfa/passkeys", { body });
		const credential = await makePasskey(started.data.options).catch((error: unknown) => {
			throw inWords(error, t.passkeyErrors);
		});
		const { data } = await call("POST /users/me/mfa/passkeys/confirm", { body: { name, credential } });
		onAdded(data.recovery_codes);
	});
	return (
		<FormDialog onClose={onClose} title={t.addPasskey} size="small" submitLabel={t.continue} action={add}>
			<p>{t.addPasskeyText}</p>
			<TextInput
				name="name"
				label={t.passkeyName}
				hint={t.passkeyNameHint}
				value={name}
				onValue={setName}
				limit={NAME_MAX}
				autoFocus
			/>
			<OwnerPassword name="password" value={password} onValue={setPassword} />
		</FormDialog>
	);
}

/** The browser's error in the language of the page. */
function inWords(error: unknown, words: Readonly<Record<string, string>>): unknown {
	if (!(error instanceof ApiError)) return error;
	return new ApiError(error.status, error.code, words[error.code] ?? error.message);
}
