// The form of an access request.

import { useMemo, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { ACCESS_REQUEST_MAX } from "../api/limits.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { readOfTab, writeOfTab } from "../stored.ts";
import { Card } from "../ui/card.tsx";
import { Form } from "../ui/form.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords, type WordsOf } from "../words/words.ts";

export type AccessRequest = Schemas["AccessRequest"];

type RequestField = keyof typeof ACCESS_REQUEST_MAX;
export type RequestValues = Readonly<Record<RequestField, string>>;

export const NO_VALUES: RequestValues = {
	applicant_name: "",
	email: "",
	company: "",
	project_name: "",
	purpose: "",
};

/** Of this tab, and of the tenant that the request is for. */
const DRAFT = `latchkey.access-request${location.search}`;

function readDraft(): RequestValues | undefined {
	const stored = readOfTab(DRAFT);
	return stored === null ? undefined : { ...NO_VALUES, ...JSON.parse(stored) };
}

interface RequestFormProps {
	readonly initial: RequestValues;
	readonly onSent: (request: AccessRequest) => void;
}

export function RequestForm({ initial, onSent }: RequestFormProps) {
	const t = useWords("portal");
	const [values, setValues] = useState(() => readDraft() ?? initial);
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
		if (request === undefined) return;
		writeOfTab(DRAFT, null);
		onSent(request);
	};
	const field = (name: RequestField) => ({
		name,
		label: t.labels[name],
		limit: ACCESS_REQUEST_MAX[name],
		value: values[name],
		onValue: (value: string) => {
			const changed = { ...values, [name]: value };
			setValues(changed);
			writeOfTab(DRAFT, JSON.stringify(changed));
		},
	});
	return (
		<Card>
			<Form
				submitLabel={t.send}
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
			</Form>
		</Card>
	);
}

/** Finds certain mistakes only; the API decides what an email address is. */
const EMAIL_ADDRESS = /^[\x21-\x7e]+@[\x21-\x7e]+$/;

/** The error text of each invalid field; undefined if all are valid. */
function mistakesIn(
	values: RequestValues,
	words: WordsOf<"portal">,
): Partial<Record<RequestField, string>> | undefined {
	const found: Partial<Record<RequestField, string>> = {};
	for (const field of Object.keys(ACCESS_REQUEST_MAX) as RequestField[]) {
		const value = values[field].trim();
		if (value === "" && field !== "company") found[field] = words.missing[field];
		else if ([...value].length > ACCESS_REQUEST_MAX[field])
			found[field] = words.tooLong(ACCESS_REQUEST_MAX[field]);
	}
	if (found.email === undefined && !isAddress(values.email.trim())) found.email = words.noAddress;
	return Object.keys(found).length === 0 ? undefined : found;
}

function isAddress(text: string): boolean {
	return EMAIL_ADDRESS.test(text) && text.split("@").length === 2;
}
