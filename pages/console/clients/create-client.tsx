// Creates a client that signs with a Secret, which is then shown once, or with the key of a partner.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { CLIENT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import { usePublicKeyField } from "../../claim/public-key-field.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ApplicationField } from "../client-settings/application-field.tsx";
import { NEW_CLIENT, settingsBody } from "../client-settings/client-settings.ts";
import { SettingsFields } from "../client-settings/settings-fields.tsx";
import { CLIENTS_PATH, type ClientWithSecret } from "./client-record.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const PROOFS = ["secret", "key"] as const;

export function CreateClient({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("console-partners").clients;
	const [, navigate] = useLocation();
	const { values, field } = useFields({ name: "", proof: "secret" as (typeof PROOFS)[number] });
	const key = usePublicKeyField();
	const [settings, setSettings] = useState(NEW_CLIENT);
	const [created, setCreated] = useState<ClientWithSecret>();
	const [isMissing, setMissing] = useState(false);
	const hasKey = values.proof === "key";
	const open = (id: string) => navigate(`${CLIENTS_PATH}/${id}`);
	const create = useAction(async () => {
		setMissing(settings.application === undefined);
		if (settings.application === undefined) return;
		const public_key = hasKey ? key.read() : undefined;
		if (hasKey && public_key === undefined) return;
		const body = { name: values.name, ...settingsBody(settings), ...(public_key && { public_key }) };
		const { id, secret, ...data } = (await call("POST /api-clients", { body })).data;
		if (secret !== undefined) return setCreated({ ...data, id, secret });
		announce(t.created);
		open(id);
	});
	const errors =
		isMissing && settings.application === undefined
			? { app_id: t.chooseApplication }
			: hasKey
				? key.errors
				: undefined;
	if (created !== undefined)
		return <SecretDialog client={created} title={t.created} onClose={() => open(created.id)} />;
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
			<RadioGroup
				{...field("proof")}
				label={t.proof}
				options={PROOFS.map((value) => ({ value, label: t.proofs[value], hint: t.proofHints[value] }))}
			/>
			{hasKey && key.field}
			<SettingsFields settings={settings} onChange={(changes) => setSettings({ ...settings, ...changes })} />
		</FormDialog>
	);
}
