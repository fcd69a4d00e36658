// The settings of an application: its form, its logo, and its deletion.

import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { useDelete } from "../../dialogs/use-delete.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { LogoField } from "../logo-field.tsx";
import { isAdmin } from "../roles.ts";
import { ApplicationForm } from "./application-form.tsx";

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
	const deletion = useDelete({
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
