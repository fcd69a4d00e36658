// The passkeys: add, name, remove.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import { hasPasskeys } from "../sign-in/passkey.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { plus } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { announce } from "../ui/status-line.tsx";
import { useWords } from "../words/words.ts";
import { AddPasskeyDialog } from "./add-passkey-dialog.tsx";
import type { FactorChange } from "./factors.ts";
import { ownUser } from "./own-user.ts";
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
