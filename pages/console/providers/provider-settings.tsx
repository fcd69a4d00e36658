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
import { useChecked } from "../editing/use-checked.ts";
import { isAdmin } from "../roles.ts";
import { Uses } from "./issuer-uses.tsx";
import { ProviderFieldInputs } from "./provider-fields.tsx";
import { bodyOf, fieldsOf, type Provider, providerProblems, signsIn } from "./provider-kinds.ts";

interface ProviderSettingsProps {
	readonly provider: Provider;
	readonly onSaved: () => void;
}

export function ProviderSettings({ provider, onSaved }: ProviderSettingsProps) {
	const t = useWords("console-settings").providers;
	const { kind, client_id, issuer, sign_up } = provider;
	const [fields, setFields] = useState(() => fieldsOf(provider));
	const save = useAction(async () => {
		const path = { id: provider.id };
		await call("PATCH /identity-providers/{id}", { path, body: bodyOf(kind, fields) });
		forgetQueries("GET /identity-providers");
		announce(t.saved);
		onSaved();
	});
	const checked = useChecked(save, () => providerProblems(fields, t));
	const { client_secret_set_at: secretSetAt, jwks_set_at: keysSetAt } = provider;
	const facts = [
		{ term: t.slug, value: <code>{provider.provider}</code> },
		secretSetAt !== null && { term: t.secretSet, value: <Time at={secretSetAt} format="datetime" /> },
		keysSetAt !== null && { term: t.keysSet, value: <Time at={keysSetAt} format="relative" /> },
	];
	if (!isAdmin())
		return (
			<Card title={t.settings}>
				<DescriptionList
					items={[
						{ term: t.uses, value: <Uses provider={provider} /> },
						client_id !== null && { term: t.clientIds[kind], value: client_id },
						issuer !== null && { term: t.issuer, value: issuer },
						provider.jwks_uri !== null && { term: t.keyAddress, value: provider.jwks_uri },
						provider.audience !== null && { term: t.audience, value: provider.audience },
						signsIn(provider) && { term: t.newAccounts, value: sign_up ? t.getAccount : t.refused },
						...facts,
					]}
				/>
			</Card>
		);
	return (
		<Card title={t.settings}>
			<Form {...checked} submitLabel={t.save}>
				<ProviderFieldInputs
					kind={kind}
					fields={fields}
					onFields={setFields}
					hasSecret={secretSetAt !== null}
					keysSetAt={keysSetAt}
					error={save.error}
				/>
				<DescriptionList items={facts} />
			</Form>
		</Card>
	);
}
