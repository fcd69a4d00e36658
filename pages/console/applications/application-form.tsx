// The settings of an application in one form: general settings, redirect URIs, and access.

import { call } from "../../api/client.ts";
import { APPLICATION_DESCRIPTION_MAX, APPLICATION_NAME_MAX, SLUG_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf, TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { connectFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { SaveBar } from "../editing/save-bar.tsx";
import { useEdits } from "../editing/use-edits.ts";
import { AddressesField } from "./addresses-field.tsx";
import { PolicyField } from "./policy-field.tsx";

interface ApplicationFormProps {
	readonly application: Schemas["Application"];
	readonly onChanged: () => void;
}

export function ApplicationForm({ application, onChanged }: ApplicationFormProps) {
	const t = useWords("console-access").applications;
	const id = useUniqueId();
	const { values, set, changes, isChanged, discard, saved } = useEdits(fieldsOf(application));
	const save = useAction(async () => {
		const { redirect_uris, ...fields } = changes;
		const body = { ...fields, ...(redirect_uris !== undefined && { redirect_uris: linesOf(redirect_uris) }) };
		await call("PATCH /applications/{id}", { path: { id: application.id }, body });
		saved(values);
		announce(t.saved);
		onChanged();
	});
	const field = connectFields(values, set);
	return (
		<>
			<Form id={id} action={save} onSubmit={() => (isChanged ? save.run() : undefined)}>
				<Card title={t.general}>
					<TextInput
						{...field("name")}
						label={t.name}
						hint={t.nameHint}
						limit={APPLICATION_NAME_MAX}
						required
					/>
					<TextArea
						{...field("description")}
						label={t.whatFor}
						limit={APPLICATION_DESCRIPTION_MAX}
						rows={2}
						optional
					/>
					<TextInput {...field("homepage_url")} label={t.homepage} type="url" optional />
					<TextInput {...field("slug")} label={t.slug} hint={t.slugHint} limit={SLUG_MAX} required code />
				</Card>
				<Card title={t.addresses} description={t.addressesText}>
					<AddressesField
						{...field("redirect_uris")}
						label={t.addresses}
						hideLabel
						hint={t.addressesHint}
						addLabel={t.addAddress}
					/>
				</Card>
				<Card title={t.access}>
					<PolicyField value={values.access_policy} onValue={(access_policy) => set({ access_policy })} />
					<Checkbox {...field("require_mfa")} label={t.requireMfa} hint={t.requireMfaHint} />
					<Checkbox {...field("support_sessions")} label={t.supportSessions} hint={t.supportSessionsHint} />
				</Card>
			</Form>
			<SaveBar form={id} isShown={isChanged} action={save} onDiscard={discard} />
		</>
	);
}

function fieldsOf({ redirect_uris, ...application }: Schemas["Application"]) {
	const { name, slug, description, homepage_url, access_policy, require_mfa, support_sessions } = application;
	const fields = { name, slug, description, homepage_url, access_policy, require_mfa, support_sessions };
	return { ...fields, redirect_uris: redirect_uris.join("\n") };
}
