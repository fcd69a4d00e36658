// The public keys on the page of a client, to which an administrator adds.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { usePublicKeyField } from "../../claim/public-key-field.tsx";
import { RegenerateDialog } from "../../dialogs/regenerate-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { plus } from "../../ui/icons.ts";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import type { ClientChangeProps } from "./client-record.ts";
import { PublicKeys } from "./public-keys.tsx";

/** Nothing for a client that can have no key yet, or none at all. */
export function KeysCard({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").keys;
	const [isAdding, setAdding] = useState(false);
	if (client.status === "unclaimed" || client.mode === "test") return null;
	return (
		<>
			<PublicKeys
				clientId={client.id}
				keys={client.public_keys}
				onChange={onChange}
				actions={
					isAdmin() ? (
						<Button icon={plus} onClick={() => setAdding(true)}>
							{t.add}
						</Button>
					) : undefined
				}
			/>
			{isAdding && <AddKey client={client} onChange={onChange} onClose={() => setAdding(false)} />}
		</>
	);
}

interface AddKeyProps extends ClientChangeProps {
	readonly onClose: () => void;
}

/** The first key replaces the Secret, which stays valid for a while or stops working immediately. */
function AddKey({ client, onChange, onClose }: AddKeyProps) {
	const words = useWords("console-partners");
	const t = words.keys;
	const { overlaps } = words.clients;
	const key = usePublicKeyField();
	const hasSecret = client.secret_hint !== "";
	return (
		<RegenerateDialog
			onClose={onClose}
			title={t.add}
			size="medium"
			submitLabel={t.add}
			errors={key.errors}
			overlapLabel={words.clients.overlap}
			overlaps={hasSecret ? overlaps : undefined}
			regenerate={async (body) => {
				const public_key = key.read();
				if (public_key === undefined) return;
				await call("POST /api-clients/{id}/keys", { path: { id: client.id }, body: { ...body, public_key } });
				announce(t.addedKey);
				onClose();
				onChange();
			}}
		>
			<p>{hasSecret ? t.addFirst : t.addText}</p>
			{key.field}
		</RegenerateDialog>
	);
}
