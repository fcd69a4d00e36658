// Name, scopes and expiry of a client.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { CLIENT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { connectFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { ScopesField } from "../client-settings/settings-fields.tsx";
import { SaveBar } from "../editing/save-bar.tsx";
import { useEdits } from "../editing/use-edits.ts";
import type { ClientChangeProps } from "./client-record.ts";

export function SettingsTab({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").clients;
	const id = useUniqueId();
	const { name, scopes, expires_at } = client;
	const edits = useEdits({ name, scopes, lastDay: dayOf(expires_at) });
	const { values, set } = edits;
	const field = connectFields(values, set);
	const [discards, setDiscards] = useState(0);
	const save = useAction(async () => {
		const { lastDay, ...changes } = edits.changes;
		// An unchanged expiry keeps its time of day, and may be in the past.
		const body = { ...changes, ...(lastDay !== undefined && { expires_at: endOf(lastDay) }) };
		await call("PATCH /api-clients/{id}", { path: { id: client.id }, body });
		edits.saved(values);
		announce(t.saved);
		onChange();
	});
	return (
		<div class="lk-editing">
			<Card>
				<Form id={id} action={save} onSubmit={() => (edits.isChanged ? save.run() : undefined)}>
					<TextInput {...field("name")} label={t.name} required limit={CLIENT_NAME_MAX} />
					<ScopesField scopes={values.scopes} onScopes={(scopes) => set({ scopes: [...scopes] })} />
					<ExpiryField
						// Its choice of a period is not part of the values.
						key={discards}
						value={values.lastDay}
						onValue={(lastDay) => set({ lastDay })}
					/>
				</Form>
			</Card>
			<SaveBar
				form={id}
				isShown={edits.isChanged}
				action={save}
				onDiscard={() => {
					edits.discard();
					setDiscards(discards + 1);
				}}
			/>
		</div>
	);
}
