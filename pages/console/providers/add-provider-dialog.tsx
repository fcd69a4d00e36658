// Adds a provider: first its kind, then the fields of that kind.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
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
	const [errors, setErrors] = useState<Record<string, string>>();
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
	const submit = () => {
		const found = providerProblems(fields, t);
		setErrors(found);
		return found === undefined ? add.run() : undefined;
	};
	return (
		<FormDialog
			onClose={onClose}
			title={t.add}
			submitLabel={t.add}
			action={add}
			onSubmit={submit}
			errors={errors}
		>
			<Select
				name="kind"
				label={t.kind}
				hint={t.setUp[kind]}
				value={kind}
				onValue={choose}
				options={KINDS.map((value) => ({ value, label: t.kinds[value] }))}
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
