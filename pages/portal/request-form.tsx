// The form of an access request.

import { useMemo, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Form } from "../ui/form.tsx";
import { FormActions } from "../ui/form-actions.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { mistakesIn } from "./find-mistakes.ts";
import { LIMITS, type RequestField, type RequestValues } from "./request-limits.ts";

export type AccessRequest = Schemas["AccessRequest"];

interface RequestFormProps {
	readonly initial: RequestValues;
	readonly onSent: (request: AccessRequest) => void;
}

export function RequestForm({ initial, onSent }: RequestFormProps) {
	const t = useWords("portal");
	const [values, setValues] = useState(initial);
	const [mistakes, setMistakes] = useState<ReturnType<typeof mistakesIn>>();
	const submit = useAction((body: RequestValues) => call("POST /access-requests", { body }));
	const { error } = submit;
	const isPendingAlready = error?.code === "access_request.pending_exists";
	const errors = useMemo(
		() => (isPendingAlready ? { email: t.pendingExists } : mistakes),
		[isPendingAlready, mistakes, t],
	);

	const send = async () => {
		submit.reset();
		const found = mistakesIn(values, t);
		setMistakes(found);
		if (found !== undefined) return;
		const request = await submit.run(values);
		if (request !== undefined) onSent(request);
	};
	const field = (name: RequestField) => ({
		name,
		label: t.labels[name],
		limit: LIMITS[name],
		value: values[name],
		onValue: (value: string) => setValues((before) => ({ ...before, [name]: value })),
	});
	return (
		<Card>
			<Form
				onSubmit={send}
				error={isPendingAlready ? undefined : error}
				errors={errors}
				pending={submit.isPending}
			>
				<div class="request-pair">
					<TextInput {...field("applicant_name")} autoComplete="name" required />
					<TextInput {...field("company")} autoComplete="organization" optional />
				</div>
				<TextInput {...field("email")} type="email" autoComplete="email" hint={t.emailHint} required />
				<TextInput {...field("project_name")} hint={t.projectHint} required />
				<TextArea {...field("purpose")} rows={6} hint={t.purposeHint} required />
				<FormActions>
					<Button type="submit" variant="primary" pending={submit.isPending}>
						{t.send}
					</Button>
				</FormActions>
			</Form>
		</Card>
	);
}
