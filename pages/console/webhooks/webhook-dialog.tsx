// Creates or edits a webhook.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { WEBHOOK_DESCRIPTION_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { EventPicker, type Subscription } from "./event-picker.tsx";

type Webhook = Schemas["Webhook"];

interface WebhookDialogProps {
	/** Undefined for a new webhook. */
	readonly webhook?: Webhook | undefined;
	readonly onClose: () => void;
	/** A new webhook includes its secret. */
	readonly onSaved: (webhook: Webhook & { readonly secret?: string }) => void;
}

export function WebhookDialog({ webhook, onClose, onSaved }: WebhookDialogProps) {
	const t = useWords("console-settings").webhooks;
	const { values, field } = useFields({ url: webhook?.url ?? "", description: webhook?.description ?? "" });
	const [event_types, setEventTypes] = useState<readonly Subscription[]>(webhook?.event_types ?? []);
	const [errors, setErrors] = useState<{ event_types: string }>();
	const save = useAction(async () => {
		const body = {
			url: values.url.trim(),
			description: values.description.trim(),
			event_types: [...event_types],
		};
		const { data } =
			webhook === undefined
				? await call("POST /webhooks", { body })
				: await call("PATCH /webhooks/{id}", { path: { id: webhook.id }, body });
		onSaved(data);
	});
	const submit = () => {
		const isEmpty = event_types.length === 0;
		setErrors(isEmpty ? { event_types: t.chooseEvents } : undefined);
		return isEmpty ? undefined : save.run();
	};
	return (
		<FormDialog
			onClose={onClose}
			title={webhook === undefined ? t.add : t.editTitle}
			submitLabel={webhook === undefined ? t.add : t.save}
			action={save}
			onSubmit={submit}
			errors={errors}
		>
			<TextInput
				{...field("url")}
				type="url"
				label={t.url}
				hint={t.urlHint}
				placeholder="https://partner.example/hooks/latchkey"
				required
				autoFocus
			/>
			<TextArea
				{...field("description")}
				label={t.note}
				hint={t.noteHint}
				rows={2}
				limit={WEBHOOK_DESCRIPTION_MAX}
				optional
			/>
			<EventPicker values={event_types} onValues={setEventTypes} />
		</FormDialog>
	);
}
