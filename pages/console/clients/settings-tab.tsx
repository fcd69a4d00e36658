// Name, scopes and expiry of a client.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { CLIENT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf, type Scope } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { ScopesField } from "../client-settings/settings-fields.tsx";
import type { ClientChangeProps } from "./client-record.ts";

export function SettingsTab({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").clients;
	const [name, setName] = useState(client.name);
	const [scopes, setScopes] = useState<readonly Scope[]>(client.scopes);
	const [lastDay, setLastDay] = useState(dayOf(client.expires_at));
	const save = useAction(async () => {
		// An unchanged expiry keeps its time of day, and may be in the past.
		const isSameEnd = lastDay === dayOf(client.expires_at);
		const body = { name, scopes: [...scopes], ...(isSameEnd ? {} : { expires_at: endOf(lastDay) }) };
		await call("PATCH /api-clients/{id}", { path: { id: client.id }, body });
		announce(t.saved);
		onChange();
	});
	return (
		<Card>
			<Form submitLabel={t.save} action={save}>
				<TextInput
					name="name"
					label={t.name}
					required
					limit={CLIENT_NAME_MAX}
					value={name}
					onValue={setName}
				/>
				<ScopesField scopes={scopes} onScopes={setScopes} />
				<ExpiryField value={lastDay} onValue={setLastDay} />
			</Form>
		</Card>
	);
}
