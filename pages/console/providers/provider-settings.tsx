// The settings of a provider: a form for administrators, values for auditors.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { ProviderFieldInputs } from "./provider-fields.tsx";
import { bodyOf, NO_FIELDS, type Provider } from "./provider-kinds.ts";

interface ProviderSettingsProps {
	readonly provider: Provider;
	readonly onSaved: () => void;
}

export function ProviderSettings({ provider, onSaved }: ProviderSettingsProps) {
	const t = useWords("console-settings").providers;
	const { kind, display_name, client_id, issuer, sign_up } = provider;
	const [fields, setFields] = useState({
		...NO_FIELDS,
		display_name,
		client_id: client_id ?? "",
		sign_up,
		issuer: issuer ?? "",
	});
	const save = useAction(async () => {
		const path = { id: provider.id };
		await call("PATCH /identity-providers/{id}", { path, body: bodyOf(kind, fields) });
		forgetQueries("GET /identity-providers");
		announce(t.saved);
		onSaved();
	});
	const facts = [
		{ term: t.slug, value: <code>{provider.provider}</code> },
		{ term: t.secretSet, value: <Time at={provider.client_secret_set_at} format="datetime" /> },
	];
	// The form asks for what sign-in needs; an issuer for workloads is changed with the API.
	if (!isAdmin() || !provider.uses.includes("sign_in"))
		return (
			<Card title={t.settings}>
				<DescriptionList
					items={[
						...(client_id === null ? [] : [{ term: t.clientIds[kind], value: client_id }]),
						...(issuer === null ? [] : [{ term: t.issuer, value: issuer }]),
						{ term: t.newAccounts, value: sign_up ? t.getAccount : t.refused },
						...facts,
					]}
				/>
			</Card>
		);
	return (
		<Card title={t.settings}>
			<Form submitLabel={t.save} action={save}>
				<ProviderFieldInputs kind={kind} fields={fields} onFields={setFields} hasSecret error={save.error} />
				<DescriptionList items={facts} />
			</Form>
		</Card>
	);
}
