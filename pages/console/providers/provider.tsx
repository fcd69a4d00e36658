// `/console/providers/{id}`: what to enter at the provider, how to try it, and its settings.

import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import { session } from "../../api/session.ts";
import { namedSlug, useTenant } from "../../api/tenant.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Link } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { confirmAction, deleteRecord } from "../dialogs.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { DirectoryCard } from "./directory-card.tsx";
import { DomainsCard } from "./domains-card.tsx";
import { Uses } from "./issuer-uses.tsx";
import { type Provider, signsIn } from "./provider-kinds.ts";
import { ProviderSettings } from "./provider-settings.tsx";
import { ProviderTestCard } from "./provider-test-card.tsx";
import { ProviderState } from "./providers.tsx";
import { SetUpCard, SetUpFacts } from "./set-up-card.tsx";

const LIST = "/console/providers";

export function ProviderPage({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-settings").providers;
	const query = useCall("GET /identity-providers/{id}", { path: { id } });
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: LIST }}
			nameOf={({ data }) => data.display_name}
			unnamed={t.title}
		>
			{({ data }) => <Shown provider={data} reload={query.reload} />}
		</RecordScreen>
	);
}

function Shown({ provider, reload }: { readonly provider: Provider; readonly reload: () => void }) {
	const { providers: t, domains } = useWords("console-settings");
	const path = { id: provider.id };
	const isOfLink = Boolean(provider.set_up) && !provider.enabled;
	const setEnabled = async (enabled: boolean) => {
		await call("PATCH /identity-providers/{id}", { path, body: { enabled } });
		forgetQueries("GET /identity-providers");
	};
	const toggle = useAction(async () => {
		await setEnabled(!provider.enabled);
		announce(provider.enabled ? t.nowDisabled : t.nowEnabled);
		reload();
	});
	/** Shows what is enabled: the administrator has not entered it. */
	const enableSetUp = () =>
		confirmAction({
			title: domains.enableTitle(provider.display_name),
			text: (
				<>
					<p>{domains.enableText}</p>
					<SetUpFacts provider={provider} />
				</>
			),
			submitLabel: t.enable,
			tone: "primary",
			size: "medium",
			act: () => setEnabled(true),
			done: t.nowEnabled,
			onDone: reload,
		});
	const remove = () =>
		deleteRecord({
			name: provider.display_name,
			title: t.removeTitle,
			text: signsIn(provider) ? t.removeText : t.removeIssuerText,
			submitLabel: t.remove,
			done: t.removed,
			list: LIST,
			act: () => call("DELETE /identity-providers/{id}", { path }),
		});
	const actions = isAdmin() ? (
		<span class="lk-row">
			<Button
				pending={toggle.isPending}
				disabled={isOfLink && provider.set_up?.finished_at === null}
				onClick={() => (isOfLink ? enableSetUp() : toggle.run())}
			>
				{provider.enabled ? t.disable : t.enable}
			</Button>
			<Menu items={[{ label: t.remove, tone: "danger", onSelect: remove }]} />
		</span>
	) : undefined;
	return (
		<>
			<PageHeader
				title={provider.display_name}
				description={signsIn(provider) ? t.kinds[provider.kind] : <Uses provider={provider} />}
				meta={
					<>
						<ProviderState enabled={provider.enabled} />
						<Configured
							section="identity_providers"
							name={provider.provider}
							managedBy={provider.managed_by}
						/>
					</>
				}
				actions={actions}
			/>
			<div class="lk-stack">
				<ErrorNotice error={toggle.error} />
				<SetUpCard provider={provider} />
				{signsIn(provider) ? (
					<ProviderSteps provider={provider} reload={reload} />
				) : (
					<IssuerSteps provider={provider} reload={reload} />
				)}
				{signsIn(provider) && <DomainsCard provider={provider} />}
				<DirectoryCard provider={provider} />
				<ProviderSettings key={provider.updated_at} provider={provider} onSaved={reload} />
			</div>
		</>
	);
}

/** The steps after adding an issuer without sign-in. */
function IssuerSteps({ provider, reload }: ProviderStepsProps) {
	const t = useWords("console-settings").providers;
	const servesWorkloads = provider.uses.includes("workloads");
	return (
		<>
			<ProviderTestCard provider={provider} reload={reload} />
			<Card title={t.useIssuerTitle} description={servesWorkloads ? t.useIssuerText : t.useAssertionsText}>
				{servesWorkloads ? (
					<div class="lk-row">
						<Link href="/console/applications">{t.toApplications}</Link>
						<Link href="/docs/no-secret-in-your-pipeline">{t.guide}</Link>
					</div>
				) : undefined}
			</Card>
		</>
	);
}

interface ProviderStepsProps {
	readonly provider: Provider;
	readonly reload: () => void;
}

/** The steps after adding a provider: register its callback URL, test it, and find it on the sign-in page. */
function ProviderSteps({ provider, reload }: ProviderStepsProps) {
	const t = useWords("console-settings").providers;
	const { data: tenant } = useTenant(session.value.user?.tenant_id);
	const slug = tenant && namedSlug(tenant);
	const path = slug === undefined ? "/sign-in" : `/sign-in?tenant=${slug}`;
	return (
		<>
			<Card title={t.register} description={t.setUp[provider.kind]}>
				<CopyField label={t.callback} value={provider.callback_url} />
			</Card>
			<ProviderTestCard provider={provider} reload={reload} />
			<Card title={t.use} description={provider.enabled ? t.useText : t.disabledText}>
				<CopyField label={t.testAddress} value={`${location.origin}${path}`} />
				<div>
					<Link href={path} external>
						{t.open}
					</Link>
				</div>
			</Card>
		</>
	);
}
