// The domains of email addresses: their DNS records, where their people sign in, and the links that set that up.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { useCall } from "../../api/use-call.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { EntryList } from "../../ui/entry-list.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { globe } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Menu } from "../../ui/menu.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { isAdmin } from "../roles.ts";
import { AddDomainDialog, ChangeDomainDialog, SetUpLinkDialog } from "./domain-dialogs.tsx";
import { type Domain, linkStateOf } from "./domain-state.ts";
import type { Provider } from "./provider-kinds.ts";

/** Of a tenant. */
const DOMAINS_MAX = 100;

interface DomainsCardProps {
	/** Shows only the domains of this provider, and adds domains to it. Default: all of the tenant. */
	readonly provider?: Provider;
	/** Those that are known already. */
	readonly known?: readonly Provider[] | undefined;
}

export function DomainsCard({ provider, known = [] }: DomainsCardProps) {
	const t = useWords("console-settings").domains;
	const query = useCall("GET /domains", { query: { page_size: DOMAINS_MAX } });
	const { data, error, isLoading, reload } = query;
	const shown = (data?.data ?? []).filter(
		({ issuer_id }) => provider === undefined || issuer_id === provider.id,
	);
	const addDomain = () =>
		openDialog((close) => <AddDomainDialog provider={provider} onClose={close} onDone={reload} />);
	const entries = shown.map((domain) => ({
		key: domain.id,
		icon: globe,
		title: domain.domain,
		badge: (
			<>
				<Badge tone={domain.verified_at === null ? "warning" : "plain"}>
					{domain.verified_at === null ? t.unverified : t.verified}
				</Badge>
				{domain.enforce && <Badge>{t.enforced}</Badge>}
			</>
		),
		detail: (
			<DomainDetail
				domain={domain}
				providerName={
					provider === undefined
						? (known.find(({ id }) => id === domain.issuer_id)?.display_name ?? t.provider)
						: undefined
				}
				onChecked={reload}
			/>
		),
		actions: isAdmin() && (
			<Menu label={uiWords().actionsOf(domain.domain)} items={itemsOf(domain, t, reload)} />
		),
	}));
	return (
		<Card
			title={t.title}
			description={provider === undefined ? t.text : t.ofProvider}
			flush={entries.length > 0}
			actions={
				isAdmin() && (
					<>
						{provider === undefined && (
							<Button onClick={() => createLink(undefined, reload)}>{t.createLink}</Button>
						)}
						<Button onClick={addDomain}>{t.add}</Button>
					</>
				)
			}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{data !== undefined && entries.length === 0 && <p class="lk-muted">{t.none}</p>}
			{entries.length > 0 && <EntryList label={t.title} entries={entries} />}
		</Card>
	);
}

function createLink(domain: string | undefined, onDone: () => void): void {
	openDialog((close) => <SetUpLinkDialog domain={domain} onClose={close} onDone={onDone} />);
}

function itemsOf(domain: Domain, t: WordsOf<"console-settings">["domains"], onDone: () => void) {
	const { domain: name, issuer_id, set_up } = domain;
	const state = linkStateOf(set_up);
	const isOfLink = issuer_id === null || (state !== "none" && state !== "finished");
	const change = () =>
		openDialog((close) => <ChangeDomainDialog domain={domain} onClose={close} onDone={onDone} />);
	const revoke = () =>
		confirmAction({
			title: t.revokeTitle(name),
			text: t.revokeText,
			submitLabel: t.revoke,
			act: () => call("DELETE /identity-providers/set-up-links/{domain}", { path: { domain: name } }),
			done: t.revoked,
			onDone,
		});
	const remove = () =>
		confirmAction({
			title: t.removeTitle(name),
			text: t.removeText,
			submitLabel: t.remove,
			act: () => call("DELETE /domains/{domain}", { path: { domain: name } }),
			done: t.removed,
			onDone,
		});
	const linkLabel = state === "none" ? t.createLinkAsk : t.replaceLinkAsk;
	return [
		{ label: t.change, onSelect: change },
		...(isOfLink ? [{ label: linkLabel, onSelect: () => createLink(name, onDone) }] : []),
		...(state === "open" ? [{ label: t.revokeAsk, onSelect: revoke }] : []),
		{ label: t.removeAsk, onSelect: remove, tone: "danger" as const, startsGroup: true },
	];
}

interface DomainDetailProps {
	readonly domain: Domain;
	/** Undefined on the page of the provider. */
	readonly providerName: string | undefined;
	readonly onChecked: () => void;
}

function DomainDetail({ domain, providerName, onChecked }: DomainDetailProps) {
	const t = useWords("console-settings").domains;
	const { issuer_id, verified_at, record_seen_at, record, set_up } = domain;
	const check = useAction(async () => {
		await call("POST /domains/{domain}/verify", { path: { domain: domain.domain } });
		announce(t.checked(domain.domain));
		onChecked();
	});
	const link = issuer_id !== null && (
		<Link href={`/console/providers/${issuer_id}`}>
			<bdi>{providerName}</bdi>
		</Link>
	);
	const state = linkStateOf(set_up);
	const facts = [
		providerName !== undefined && { term: t.provider, value: link || "" },
		verified_at !== null && { term: t.verifiedAt, value: <Time at={verified_at} format="datetime" /> },
		verified_at !== null && { term: t.seenAt, value: <Time at={record_seen_at} /> },
		state !== "none" && { term: t.link, value: <LinkState domain={domain} /> },
	];
	return (
		<div class="lk-stack">
			{facts.some(Boolean) && <DescriptionList items={facts} />}
			{verified_at === null && (
				<>
					<p>{t.record}</p>
					<CopyField label={t.recordName} value={record.name} />
					<CopyField label={t.recordValue} value={record.value} />
				</>
			)}
			<ErrorNotice error={check.error} />
			{isAdmin() && (
				<div>
					<Button size="small" pending={check.isPending} onClick={() => check.run()}>
						{t.check}
						<span class="lk-hidden"> {domain.domain}</span>
					</Button>
				</div>
			)}
		</div>
	);
}

function LinkState({ domain: { set_up } }: { readonly domain: Domain }) {
	const t = useWords("console-settings").domains;
	if (!set_up) return null;
	const state = linkStateOf(set_up);
	return (
		<>
			{t.linkStates[state]} <Time at={set_up.finished_at ?? set_up.expires_at} format="datetime" />
			{set_up.tested_by !== "" && (
				<div>
					{t.triedBy} <bdi>{set_up.tested_by}</bdi>
				</div>
			)}
		</>
	);
}
