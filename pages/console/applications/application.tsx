// `/console/applications/{id}`: access, roles, settings, and how to connect it.

import { call } from "../../api/client.ts";
import { forgetQueries } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { ApplicationLogo } from "../../ui/application-logo.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useWords } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { confirmAction } from "../dialogs.tsx";
import { GateTab } from "../gate/gate-tab.tsx";
import { OpenIdCard } from "../openid/openid-card.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useTab } from "../use-tab.ts";
import { ApplicationGrants } from "./application-grants.tsx";
import { ApplicationRoles } from "./application-roles.tsx";
import { ApplicationSettings } from "./application-settings.tsx";
import { StatusBadge } from "./status-badge.tsx";

type ApplicationRecord = Schemas["Application"];

const TABS = ["access", "roles", "settings", "connect", "gate"] as const;

export function Application({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-access").applications;
	const query = useCall("GET /applications/{id}", { path: { id } });
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: "/console/applications" }}
			nameOf={({ data }) => data.name}
			unnamed={t.application}
		>
			{({ data }) => <Record application={data} reload={query.reload} />}
		</RecordScreen>
	);
}

interface RecordProps {
	readonly application: ApplicationRecord;
	readonly reload: () => void;
}

function Record({ application, reload }: RecordProps) {
	const t = useWords("console-access").applications;
	const [tab, setTab] = useTab(TABS);
	const changed = () => {
		forgetQueries("GET /applications");
		reload();
	};
	const { id, name } = application;
	const isActive = application.status === "active";
	const toggle = () =>
		confirmAction({
			title: isActive ? t.disableTitle(name) : t.enableTitle(name),
			text: isActive ? t.disableText : t.enableText,
			submitLabel: isActive ? t.disable : t.enable,
			tone: isActive ? "danger" : "primary",
			act: () =>
				call("PATCH /applications/{id}", {
					path: { id },
					body: { status: isActive ? "disabled" : "active" },
				}),
			done: isActive ? t.isDisabled(name) : t.isEnabled(name),
			onDone: changed,
		});
	return (
		<>
			<PageHeader
				title={application.name}
				media={<ApplicationLogo url={application.logo_url} />}
				description={application.description && <bdi>{application.description}</bdi>}
				meta={
					<>
						<StatusBadge status={application.status} />
						{application.require_mfa && <Badge tone="info">{t.secondFactor}</Badge>}
						{application.kind === "application" && !application.access_request_id && (
							<Configured section="applications" name={application.slug} managedBy={application.managed_by} />
						)}
					</>
				}
				actions={isAdmin() && <Button onClick={toggle}>{isActive ? t.disableAsk : t.enable}</Button>}
			/>
			<Tabs
				label={application.name}
				selected={tab}
				onSelect={setTab}
				tabs={TABS.map((key) => ({ key, label: t.tabs[key] }))}
			>
				{tab === "access" && <ApplicationGrants application={application} onChanged={changed} />}
				{tab === "roles" && <ApplicationRoles application={application} />}
				{tab === "settings" && <ApplicationSettings application={application} onChanged={changed} />}
				{tab === "connect" && (
					<ConnectApplication
						application={application}
						onSettings={() => setTab("settings")}
						onChanged={changed}
					/>
				)}
				{tab === "gate" && <GateTab application={application} onCreated={changed} />}
			</Tabs>
		</>
	);
}

/** What a developer needs to sign people in to an application. */
interface ConnectApplicationProps {
	readonly application: Schemas["Application"];
	/** Opens the settings, where redirect URIs are registered. */
	readonly onSettings: () => void;
	readonly onChanged: () => void;
}

function ConnectApplication({ application, onSettings, onChanged }: ConnectApplicationProps) {
	const t = useWords("console-access").applications;
	const { id } = application;
	const service = location.origin;
	return (
		<div class="lk-stack">
			<OpenIdCard application={application} onSettings={onSettings} onChanged={onChanged}>
				<Card title={t.identifiers} description={t.identifiersText}>
					<div class="lk-stack">
						<CopyField label={t.id} value={id} />
						<CopyField label={t.serviceAddress} value={service} />
						<CopyField label={t.keysAddress} value={`${service}/.well-known/jwks.json`} />
					</div>
				</Card>
			</OpenIdCard>
			<Card title={t.callTheApi} description={t.callTheApiText}>
				<div class="lk-row">
					<Link href={`/console/clients?app_id=${id}`} variant="secondary">
						{t.clientsOfIt}
					</Link>
					<Link href={`/console/applications/${id}#gate`} variant="secondary">
						{t.gateOfIt}
					</Link>
					<Link href="/docs" variant="quiet" external>
						{t.apiDocumentation}
					</Link>
				</div>
			</Card>
		</div>
	);
}
