// `/console/clients/{id}`: one API client.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, type Query, useQuery } from "../../api/query.ts";
import { environmentFile, environmentFileName } from "../../claim/environment-file.ts";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import type { Refusal } from "../refusals/refusal.ts";
import { RefusalsCard } from "../refusals/refusals-card.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useScreenTitle } from "../screen-title.ts";
import { refusalsOf } from "../statistics/result-chart.tsx";
import { ResultsCard } from "../statistics/results-card.tsx";
import { useTab } from "../use-tab.ts";
import { AllowlistTab } from "./allowlist-tab.tsx";
import { ClientActions } from "./client-actions.tsx";
import { ClientBadges } from "./client-badges.tsx";
import { ClientFacts } from "./client-facts.tsx";
import { type ApiClient, CLIENTS_PATH, stateOf, useClient } from "./client-record.ts";
import { ExplainTab, type ReportedCall } from "./explain-tab.tsx";
import { KeysCard } from "./keys-card.tsx";
import { SettingsTab } from "./settings-tab.tsx";

export function Client({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-partners").clients;
	const client = useClient(id);
	const { data, error } = client;
	const name = data?.name ?? t.client;
	useScreenTitle(name, [{ label: t.title, href: CLIENTS_PATH }, { label: name }]);
	if (data === undefined)
		return error === undefined ? (
			<Skeleton lines={10} />
		) : (
			<>
				<PageHeader title={t.client} />
				<LoadError error={error} onRetry={client.reload} pending={client.isLoading} />
			</>
		);
	return <Details client={data} query={client} />;
}

const ADMIN_TABS = ["overview", "connect", "settings", "allowlist", "explain"] as const;
type TabKey = (typeof ADMIN_TABS)[number];

function Details({ client, query }: { readonly client: ApiClient; readonly query: Query<ApiClient> }) {
	const t = useWords("console-partners").clients;
	const keys: readonly [TabKey, ...TabKey[]] = isAdmin() ? ADMIN_TABS : ["overview", "connect"];
	const [tab, setTab] = useTab(keys);
	const [reported, setReported] = useState<ReportedCall>();
	const onChange = () => {
		forgetQueries("GET /api-clients");
		query.reload();
	};
	const explain = ({ method, path, ip, at }: Refusal) => {
		setReported({ method, target: path, ip, receivedAt: at });
		setTab("explain");
	};
	return (
		<>
			<PageHeader
				title={client.name}
				meta={<ClientBadges client={client} />}
				actions={isAdmin() ? <ClientActions client={client} onChange={onChange} /> : undefined}
			/>
			<div class="lk-stack">
				<StateNotice client={client} />
				<Tabs
					label={client.name}
					tabs={keys.map((key) => ({ key, label: t.tabs[key] }))}
					selected={tab}
					onSelect={setTab}
				>
					{tab === "overview" && (
						<div class="lk-stack">
							<ResultsCard
								title={t.calls}
								okLabel={t.accepted}
								refusedLabel={t.callsRefused}
								queryKey={`GET /api-clients/${client.id}/stats`}
								hrefOf={refusalsOf({ subject: "api_client", api_client_id: client.id })}
								load={async (query, signal) =>
									(await call("GET /api-clients/{id}/stats", { path: { id: client.id }, query, signal })).data
										.steps
								}
							/>
							<RefusalsCard
								subject="api_client"
								id={client.id}
								onExplain={isAdmin() ? explain : undefined}
								onRepaired={onChange}
							/>
							<ClientFacts client={client} />
							<KeysCard client={client} onChange={onChange} />
						</div>
					)}
					{tab === "connect" && <ConnectTab client={client} />}
					{tab === "settings" && <SettingsTab client={client} onChange={onChange} />}
					{tab === "allowlist" && <AllowlistTab client={client} onChange={onChange} />}
					{tab === "explain" && <ExplainTab client={client} reported={reported} />}
				</Tabs>
			</div>
		</>
	);
}

/** Why the client does not work, or soon will not. */
function StateNotice({ client }: { readonly client: ApiClient }) {
	const t = useWords("console-partners").clients.notices;
	const { expires_at: end, access_request_id: request } = client;
	const date = end === null ? "" : format.dateTime(end);
	switch (stateOf(client)) {
		case "expired":
			return <Notice tone="danger">{t.expired(date)}</Notice>;
		case "expiring":
			return (
				<Notice tone="warning">
					{t.expiring(date)} {client.owner_name === null ? t.nobodyNotified : t.ownerNotified}
				</Notice>
			);
		case "disabled":
			return (
				<Notice tone="warning">{client.disabled_reason === null ? t.disabled : t.disabledDormant}</Notice>
			);
		case "unclaimed":
			return (
				<Notice
					tone="info"
					action={
						request === null ? undefined : (
							<a class="lk-link" href={`/console/requests/${request}`}>
								{t.openRequest}
							</a>
						)
					}
				>
					{t.unclaimed}
				</Notice>
			);
		default:
			return null;
	}
}

/** In place of the Secret, as in the guide. */
const OPEN_SECRET = "sk_…";

function ConnectTab({ client }: { readonly client: ApiClient }) {
	const t = useWords("console-partners").clients;
	const hasKey = client.secret_hint === "" && client.public_keys.length > 0;
	const code = environmentFile(location.origin, { ...client, secret: hasKey ? undefined : OPEN_SECRET });
	const file = environmentFileName(client.mode);
	const query = useQuery("signed-call-code.tsx", () => import("../../claim/signed-call-code.tsx"));
	return (
		<div class="lk-stack">
			<Card title={t.connectTitle} description={hasKey ? t.connectTextOfKey : t.connectText}>
				<CodeBlock label={file} snippets={[{ key: file, label: file, code: code.trimEnd() }]} />
			</Card>
			<Loaded query={query}>
				{({ SignedCallCode }) => (
					<SignedCallCode title={t.codeTitle} text={t.codeText} file={file} hasKey={hasKey} />
				)}
			</Loaded>
		</div>
	);
}
