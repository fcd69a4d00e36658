// The passkeys of the account, each with its actions.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { PASSKEY_NAME_MAX } from "../api/limits.ts";
import { useAction } from "../api/query.ts";
import { Badge } from "../ui/badge.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { key, pencil, trash } from "../ui/icons.ts";
import { Menu } from "../ui/menu.tsx";
import { relative } from "../ui/relative-time.ts";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { uiWords } from "../ui/words.ts";
import { format } from "../words/format.ts";
import { language } from "../words/language.ts";
import { useWords } from "../words/words.ts";
import type { Passkey } from "./factors.ts";
import { proveOwner } from "./owner-dialog.tsx";

interface PasskeyListProps {
	readonly passkeys: readonly Passkey[];
	readonly onChange: () => void;
}

export function PasskeyList({ passkeys, onChange }: PasskeyListProps) {
	const t = useWords("account");
	const [renamed, setRenamed] = useState<Passkey>();
	const remove = async ({ id, name }: Passkey) => {
		const removed = await proveOwner({
			title: t.removePasskeyTitle(name),
			text: t.removePasskeyText,
			submitLabel: t.remove,
			tone: "danger",
			act: (body) =>
				call("DELETE /users/me/mfa/passkeys/{id}", {
					path: { id },
					body,
				}),
		});
		if (removed === undefined) return;
		onChange();
		announce(t.passkeyRemoved);
	};
	const actionsOf = (passkey: Passkey) => [
		{ label: t.rename, icon: pencil, onSelect: () => setRenamed(passkey) },
		{ label: t.remove, icon: trash, tone: "danger" as const, onSelect: () => remove(passkey) },
	];
	return (
		<>
			<EntryList
				label={t.passkeys}
				entries={passkeys.map((passkey) => ({
					key: passkey.id,
					icon: key,
					title: passkey.name,
					badge: (passkey.synced || passkey.automatic) && (
						<>
							{passkey.synced && <Badge>{t.synced}</Badge>}
							{passkey.automatic && <Badge>{t.automatic}</Badge>}
						</>
					),
					detail: <Use passkey={passkey} />,
					actions: <Menu label={uiWords().actionsOf(passkey.name)} items={actionsOf(passkey)} />,
				}))}
			/>
			{renamed !== undefined && (
				<RenamePasskeyDialog passkey={renamed} onClose={() => setRenamed(undefined)} onRenamed={onChange} />
			)}
		</>
	);
}

function Use({ passkey: { created_at, last_used_at } }: { readonly passkey: Passkey }) {
	const t = useWords("account");
	const used =
		last_used_at === null
			? t.neverUsed
			: t.lastUsed(relative(new Date(last_used_at), Date.now(), language.value));
	return (
		<>
			{t.addedOn(format.date(created_at))} · {used}
		</>
	);
}

interface RenamePasskeyDialogProps {
	readonly passkey: Passkey;
	readonly onClose: () => void;
	readonly onRenamed: () => void;
}

/** Names a passkey. */
function RenamePasskeyDialog({ passkey, onClose, onRenamed }: RenamePasskeyDialogProps) {
	const t = useWords("account");
	const { values, field } = useFields({ name: passkey.name });
	const rename = useAction(async () => {
		await call("PATCH /users/me/mfa/passkeys/{id}", {
			path: { id: passkey.id },
			body: { name: values.name },
		});
		onRenamed();
		onClose();
		announce(t.passkeyRenamed);
	});
	return (
		<FormDialog onClose={onClose} title={t.rename} submitLabel={t.save} action={rename} size="small">
			<TextInput {...field("name")} label={t.passkeyName} limit={PASSKEY_NAME_MAX} autoFocus />
		</FormDialog>
	);
}
