// `/console/applications/{id}`: access, roles, settings, and how to connect it.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { ApplicationLogo } from "../../ui/application-logo.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useWords } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { GateTab } from "../gate/gate-tab.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useTab } from "../use-tab.ts";
import { ApplicationGrants } from "./application-grants.tsx";
import { ApplicationRoles } from "./application-roles.tsx";
import { ApplicationSettings } from "./application-settings.tsx";
import { ConnectApplication } from "./connect-application.tsx";
import { StatusBadge } from "./status-badge.tsx";

type ApplicationRecord = Schemas["Application"];

const TABS = ["access", "roles", "settings", "connect", "gate"] as const;

export function Application({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-access").applications;
	const query = useQuery(`GET /applications/${id}`, (signal) =>
		call("GET /applications/{id}", { path: { id }, signal }),
	);
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
	const [isSwitching, setSwitching] = useState(false);
	const changed = () => {
		forgetQueries("GET /applications");
		reload();
	};
	const isActive = application.status === "active";
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
				actions={
					isAdmin() && (
						<Button onClick={() => setSwitching(true)}>{isActive ? t.disableAsk : t.enable}</Button>
					)
				}
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
			{isSwitching && (
				<SwitchDialog application={application} onClose={() => setSwitching(false)} onChanged={changed} />
			)}
		</>
	);
}

interface SwitchDialogProps {
	readonly application: Pick<Schemas["Application"], "id" | "name" | "status">;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

/** Disables an application, or enables it again. */
function SwitchDialog({ application: { id, name, status }, onClose, onChanged }: SwitchDialogProps) {
	const t = useWords("console-access").applications;
	const isActive = status === "active";
	return (
		<ConfirmAction
			title={isActive ? t.disableTitle(name) : t.enableTitle(name)}
			submitLabel={isActive ? t.disable : t.enable}
			tone={isActive ? "danger" : "primary"}
			act={() =>
				call("PATCH /applications/{id}", { path: { id }, body: { status: isActive ? "disabled" : "active" } })
			}
			done={isActive ? t.isDisabled(name) : t.isEnabled(name)}
			onClose={onClose}
			onDone={onChanged}
		>
			{isActive ? t.disableText : t.enableText}
		</ConfirmAction>
	);
}
