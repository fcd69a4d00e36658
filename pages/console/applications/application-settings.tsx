// The settings of an application: general settings, redirect URIs, and deletion.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { APPLICATION_DESCRIPTION_MAX, APPLICATION_NAME_MAX, SLUG_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useDelete } from "../../dialogs/use-delete.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { Time } from "../../ui/time.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { LogoField } from "../logo-field.tsx";
import { isAdmin } from "../roles.ts";
import { PolicyField } from "./policy-field.tsx";
import { RedirectAddresses } from "./redirect-addresses.tsx";

interface ApplicationSettingsProps {
	readonly application: Schemas["Application"];
	readonly onChanged: () => void;
}

export function ApplicationSettings({ application, onChanged }: ApplicationSettingsProps) {
	if (!isAdmin()) return <ApplicationFacts application={application} />;
	return (
		<div class="lk-stack">
			<RedirectAddresses application={application} onChanged={onChanged} />
			{application.kind === "application" && <Logo application={application} onChanged={onChanged} />}
			<General application={application} onChanged={onChanged} />
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

const TEXTS = ["name", "slug", "description", "homepage_url"] as const;

function General({ application, onChanged }: ApplicationSettingsProps) {
	const t = useWords("console-access").applications;
	const id = useUniqueId();
	const [values, setValues] = useState(application);
	const set = (change: Partial<typeof values>) => setValues((before) => ({ ...before, ...change }));
	const save = useAction(async () => {
		const { access_policy, require_mfa } = values;
		const texts = Object.fromEntries(TEXTS.map((name) => [name, values[name].trim()]));
		const body = { ...texts, access_policy, require_mfa };
		await call("PATCH /applications/{id}", { path: { id: application.id }, body });
		announce(t.saved);
		onChanged();
	});
	const text = (name: (typeof TEXTS)[number]) => ({
		name,
		value: values[name],
		onValue: (value: string) => set({ [name]: value }),
	});
	return (
		<Card
			title={t.general}
			footer={
				<Button type="submit" form={id} variant="primary" pending={save.isPending}>
					{t.save}
				</Button>
			}
		>
			<Form id={id} action={save}>
				<TextInput {...text("name")} label={t.name} hint={t.nameHint} limit={APPLICATION_NAME_MAX} required />
				<TextArea
					{...text("description")}
					label={t.whatFor}
					limit={APPLICATION_DESCRIPTION_MAX}
					rows={2}
					optional
				/>
				<PolicyField value={values.access_policy} onValue={(access_policy) => set({ access_policy })} />
				<Checkbox
					name="require_mfa"
					label={t.requireMfa}
					hint={t.requireMfaHint}
					checked={values.require_mfa}
					onValue={(require_mfa) => set({ require_mfa })}
				/>
				<TextInput {...text("slug")} label={t.slug} hint={t.slugHint} limit={SLUG_MAX} required code />
				<TextInput {...text("homepage_url")} label={t.homepage} type="url" optional />
			</Form>
		</Card>
	);
}

/** With its roles, grants and API clients. */
function DeleteApplication({ application: { id, name } }: Pick<ApplicationSettingsProps, "application">) {
	const t = useWords("console-access").applications;
	const deletion = useDelete({
		name,
		title: t.deleteQuestion(name),
		text: t.deleteConsequences,
		confirmLabel: t.deleteIt,
		done: t.deleted(name),
		list: "/console/applications",
		act: () => call("DELETE /applications/{id}", { path: { id } }),
	});
	return (
		<Card title={t.deleteTitle} description={t.deleteText} tone="danger">
			<div class="lk-row">
				<Button variant="danger" onClick={deletion.ask}>
					{t.deleteAsk}
				</Button>
			</div>
			{deletion.dialog}
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
