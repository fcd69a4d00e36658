// The passkeys: add, name, remove.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { PASSKEY_NAME_MAX } from "../api/limits.ts";
import { useAction, useQuery } from "../api/query.ts";
import { createPasskey, hasPasskeys } from "../sign-in/passkey.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { plus } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import type { FactorChange } from "./factors.ts";
import { ownUser } from "./own-user.ts";
import { OwnerPassword } from "./owner-password.tsx";
import { PasskeyList } from "./passkey-list.tsx";

export function PasskeysCard({ onChange }: FactorChange) {
	const t = useWords("account");
	const [isAdding, setAdding] = useState(false);
	const passkeys = useQuery(`passkeys ${ownUser().id}`, (signal) =>
		call("GET /users/me/mfa/passkeys", { signal }),
	);
	const onAdded = (codes?: readonly string[]) => {
		setAdding(false);
		passkeys.reload();
		onChange(codes);
		announce(t.passkeyAdded);
	};
	const onListChange = () => {
		passkeys.reload();
		onChange();
	};
	const list = passkeys.data?.data ?? [];
	const content =
		passkeys.data === undefined && passkeys.error !== undefined ? (
			<LoadError error={passkeys.error} onRetry={passkeys.reload} pending={passkeys.isLoading} />
		) : list.length > 0 ? (
			<PasskeyList passkeys={list} onChange={onListChange} />
		) : undefined;
	const add = (
		<Button size="small" icon={plus} onClick={() => setAdding(true)}>
			{t.addPasskey}
		</Button>
	);
	return (
		<>
			<Card
				title={t.passkeys}
				description={hasPasskeys() ? t.passkeysText : t.browserHasNoPasskeys}
				actions={hasPasskeys() ? add : undefined}
				flush
			>
				{content}
			</Card>
			{isAdding && <AddPasskeyDialog onClose={() => setAdding(false)} onAdded={onAdded} />}
		</>
	);
}

interface AddPasskeyDialogProps {
	readonly onClose: () => void;
	/** With recovery codes when it is the first second factor. */
	readonly onAdded: (recoveryCodes?: readonly string[]) => void;
}

/** Adds a passkey: its name and the password, then the browser's own dialog. */
function AddPasskeyDialog({ onClose, onAdded }: AddPasskeyDialogProps) {
	const t = useWords("account");
	const { values, field } = useFields({ name: t.passkeyNameDefault, password: "" });
	const add = useAction(async () => {
		const body = values.password === "" ? {} : { password: values.password };
		const started = await call("POST /users/me/mfa/passkeys", { body });
		const credential = await createPasskey(started.data.options).catch((error: unknown) => {
			throw inWords(error, t.passkeyErrors);
		});
		const { data } = await call("POST /users/me/mfa/passkeys/confirm", {
			body: { name: values.name, credential },
		});
		onAdded(data.recovery_codes);
	});
	return (
		<FormDialog onClose={onClose} title={t.addPasskey} size="small" submitLabel={t.continue} action={add}>
			<p>{t.addPasskeyText}</p>
			<TextInput
				{...field("name")}
				label={t.passkeyName}
				hint={t.passkeyNameHint}
				limit={PASSKEY_NAME_MAX}
				autoFocus
			/>
			<OwnerPassword {...field("password")} />
		</FormDialog>
	);
}

/** The browser's error in the language of the page. */
function inWords(error: unknown, words: Readonly<Record<string, string>>): unknown {
	if (!(error instanceof ApiError)) return error;
	return new ApiError(error.status, error.code, words[error.code] ?? error.message);
}
