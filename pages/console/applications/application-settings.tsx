// The settings of an application: its form, its logo, and its deletion.

import { call } from "../../api/client.ts";
import { APPLICATION_DESCRIPTION_MAX, APPLICATION_NAME_MAX, SLUG_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf, TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { Time } from "../../ui/time.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { deleteRecord } from "../dialogs.tsx";
import { SaveBar } from "../editing/save-bar.tsx";
import { useEdits } from "../editing/use-edits.ts";
import { LogoField } from "../logo-field.tsx";
import { isAdmin } from "../roles.ts";
import { AddressesField } from "./addresses-field.tsx";
import { PolicyField } from "./policy-field.tsx";

interface ApplicationSettingsProps {
	readonly application: Schemas["Application"];
	readonly onChanged: () => void;
}

export function ApplicationSettings({ application, onChanged }: ApplicationSettingsProps) {
	if (!isAdmin()) return <ApplicationFacts application={application} />;
	return (
		<div class="lk-editing">
			<ApplicationForm application={application} onChanged={onChanged} />
			{application.kind === "application" && <Logo application={application} onChanged={onChanged} />}
			<DeleteApplication application={application} />
		</div>
	);
}

/** Shown at sign-in and consent. */
function Logo({ application: { id, logo_url }, onChanged }: ApplicationSettingsProps) {
	const t = useWords("console-access").applications;
	const path = { id };
	return (
		<Card title={t.logoTitle} description={t.logoText}>
			<LogoField
				label={t.logoFile}
				url={logo_url}
				onUpload={async (body) => {
					await call("PUT /applications/{id}/logo", { path, body });
					onChanged();
				}}
				onRemove={async () => {
					await call("DELETE /applications/{id}/logo", { path });
					onChanged();
				}}
			/>
		</Card>
	);
}

/** With its roles, grants and API clients. */
function DeleteApplication({ application: { id, name } }: Pick<ApplicationSettingsProps, "application">) {
	const t = useWords("console-access").applications;
	const remove = () =>
		deleteRecord({
			name,
			title: t.deleteQuestion(name),
			text: t.deleteConsequences,
			submitLabel: t.deleteIt,
			done: t.deleted(name),
			list: "/console/applications",
			act: () => call("DELETE /applications/{id}", { path: { id } }),
		});
	return (
		<Card title={t.deleteTitle} description={t.deleteText} tone="danger">
			<div class="lk-row">
				<Button variant="danger" onClick={remove}>
					{t.deleteAsk}
				</Button>
			</div>
		</Card>
	);
}

/** The settings of an application, read-only. */
function ApplicationFacts({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const { id, slug, access_policy, require_mfa, redirect_uris, homepage_url, logo_url } = application;
	return (
		<Card title={t.general}>
			<DescriptionList
				items={[
					{ term: t.whoMayUse, value: t.policies[access_policy] },
					{ term: t.requireMfa, value: require_mfa ? t.yes : t.no },
					{
						term: t.addresses,
						value:
							redirect_uris.length === 0
								? ""
								: redirect_uris.map((address) => (
										<div key={address}>
											<code dir="ltr">{address}</code>
										</div>
									)),
					},
					{ term: t.slug, value: <code>{slug}</code> },
					{ term: t.id, value: <code>{id}</code> },
					{ term: t.homepage, value: homepage_url },
					{ term: t.logo, value: logo_url },
					{ term: t.created, value: <Time at={application.created_at} format="datetime" /> },
				]}
			/>
		</Card>
	);
}

/** General settings, redirect URIs, and access. */
function ApplicationForm({ application, onChanged }: ApplicationSettingsProps) {
	const t = useWords("console-access").applications;
	const id = useUniqueId();
	const { values, set, field, changes, isChanged, discard, saved } = useEdits(fieldsOf(application));
	const save = useAction(async () => {
		const { redirect_uris, ...fields } = changes;
		const body = { ...fields, ...(redirect_uris !== undefined && { redirect_uris: linesOf(redirect_uris) }) };
		await call("PATCH /applications/{id}", { path: { id: application.id }, body });
		saved(values);
		announce(t.saved);
		onChanged();
	});
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
