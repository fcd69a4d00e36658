// Creates a client, then shows its Secret once.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { CLIENT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ApplicationField } from "../client-settings/application-field.tsx";
import { NEW_CLIENT, settingsBody } from "../client-settings/client-settings.ts";
import { SettingsFields } from "../client-settings/settings-fields.tsx";
import { CLIENTS_PATH, type ClientWithSecret } from "./client-record.ts";
import { SecretDialog } from "./secret-dialog.tsx";

export function CreateClient({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("console-partners").clients;
	const [, navigate] = useLocation();
	const { values, field } = useFields({ name: "" });
	const [settings, setSettings] = useState(NEW_CLIENT);
	const [created, setCreated] = useState<ClientWithSecret>();
	const [isMissing, setMissing] = useState(false);
	const create = useAction(async () => {
		setMissing(settings.application === undefined);
		if (settings.application === undefined) return;
		const body = { name: values.name, ...settingsBody(settings) };
		setCreated((await call("POST /api-clients", { body })).data);
	});
	const errors =
		isMissing && settings.application === undefined ? { app_id: t.chooseApplication } : undefined;
	if (created !== undefined)
		return (
			<SecretDialog
				client={created}
				title={t.created}
				onClose={() => navigate(`${CLIENTS_PATH}/${created.id}`)}
			/>
		);
	return (
		<FormDialog
			onClose={onClose}
			title={t.createTitle}
			size="large"
			submitLabel={t.create}
			action={create}
			errors={errors}
		>
			<TextInput
				{...field("name")}
				label={t.name}
				hint={t.nameHint}
				required
				limit={CLIENT_NAME_MAX}
				autoFocus
			/>
			<ApplicationField
				value={settings.application}
				onValue={(application) => setSettings({ ...settings, application })}
			/>
			<SettingsFields settings={settings} onChange={(changes) => setSettings({ ...settings, ...changes })} />
		</FormDialog>
	);
}
