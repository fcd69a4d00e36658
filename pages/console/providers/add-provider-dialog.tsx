// Adds a provider: first its kind, then the fields of that kind.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { useChecked } from "../editing/use-checked.ts";
import { ProviderFieldInputs } from "./provider-fields.tsx";
import {
	bodyOf,
	KINDS,
	type Kind,
	NO_FIELDS,
	type Provider,
	providerProblems,
	signsIn,
} from "./provider-kinds.ts";

interface AddProviderDialogProps {
	readonly onClose: () => void;
	readonly onAdded: (provider: Provider) => void;
}

export function AddProviderDialog({ onClose, onAdded }: AddProviderDialogProps) {
	const t = useWords("console-settings").providers;
	const [kind, setKind] = useState<Kind>("google");
	const [slug, setSlug] = useState("google");
	const [fields, setFields] = useState({ ...NO_FIELDS, display_name: t.kinds.google });
	const choose = (next: Kind) => {
		// Unchanged defaults follow the kind.
		if (slug === kind || slug === "") setSlug(next === "oidc" ? "" : next);
		if (fields.display_name === t.kinds[kind] || fields.display_name === "")
			setFields({ ...fields, display_name: next === "oidc" ? "" : t.kinds[next] });
		if (next !== "oidc") setFields((before) => ({ ...before, uses: NO_FIELDS.uses }));
		setKind(next);
	};
	const add = useAction(async () => {
		const { data } = await call("POST /identity-providers", {
			body: {
				...bodyOf(kind, fields),
				kind,
				provider: slug.trim(),
				...(signsIn(fields) && { client_secret: bodyOf(kind, fields).client_secret ?? "" }),
			},
		});
		onAdded(data);
	});
	const checked = useChecked(add, () => providerProblems(fields, t));
	return (
		<FormDialog {...checked} onClose={onClose} title={t.add} submitLabel={t.add}>
			<Select
				name="kind"
				label={t.kind}
				hint={t.setUp[kind]}
				value={kind}
				onValue={choose}
				options={optionsOf(KINDS, t.kinds)}
			/>
			<ProviderFieldInputs
				kind={kind}
				fields={fields}
				onFields={setFields}
				hasSecret={false}
				error={add.error}
			/>
			<TextInput
				name="provider"
				label={t.slug}
				hint={t.slugHint}
				code
				value={slug}
				onValue={setSlug}
				required
			/>
		</FormDialog>
	);
}
