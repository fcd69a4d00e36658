// Creates an application; its page has the other settings.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { DESCRIPTION_MAX, NAME_MAX, type Policy } from "./limits.ts";
import { PolicyField } from "./policy-field.tsx";

export function AddApplicationDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("console-access").applications;
	const [, navigate] = useLocation();
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const [policy, setPolicy] = useState<Policy>("assigned");
	const create = useAction(async () => {
		const body = { name: name.trim(), description, access_policy: policy };
		const { data } = await call("POST /applications", { body });
		forgetQueries("GET /applications");
		announce(t.added(data.name));
		navigate(`/console/applications/${data.id}`);
	});
	return (
		<FormDialog onClose={onClose} title={t.addTitle} submitLabel={t.addIt} action={create}>
			<TextInput
				name="name"
				label={t.name}
				hint={t.nameHint}
				value={name}
				onValue={setName}
				limit={NAME_MAX}
				required
				autoFocus
			/>
			<TextArea
				name="description"
				label={t.whatFor}
				value={description}
				onValue={setDescription}
				limit={DESCRIPTION_MAX}
				rows={2}
				optional
			/>
			<PolicyField value={policy} onValue={setPolicy} />
		</FormDialog>
	);
}
