// The domains of email addresses: their DNS records, where their people sign in, and the links that set that up.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction, useQuery } from "../../api/query.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { EntryList } from "../../ui/entry-list.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { globe } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { AddDomainDialog, ChangeDomainDialog, SetUpLinkDialog } from "./domain-dialogs.tsx";
import { type Domain, linkStateOf } from "./domain-state.ts";
import type { Provider } from "./provider-kinds.ts";

/** Of a tenant. */
const DOMAINS_MAX = 100;

type Asked = { readonly what: "change" | "link" | "revoke" | "remove"; readonly domain: Domain };

interface DomainsCardProps {
	/** Shows only the domains of this provider, and adds domains to it. Default: all of the tenant. */
	readonly provider?: Provider;
	/** Those that are known already. */
	readonly known?: readonly Provider[] | undefined;
}

export function DomainsCard({ provider, known = [] }: DomainsCardProps) {
	const t = useWords("console-settings").domains;
	const [adding, setAdding] = useState<"domain" | "link">();
	const [asked, setAsked] = useState<Asked>();
	const query = useQuery("GET /domains", (signal) =>
		call("GET /domains", { query: { page_size: DOMAINS_MAX }, signal }),
	);
	const { data, error, isLoading, reload } = query;
	const shown = (data?.data ?? []).filter(
		({ issuer_id }) => provider === undefined || issuer_id === provider.id,
	);
	const close = () => setAsked(undefined);
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
			<Menu label={uiWords().actionsOf(domain.domain)} items={itemsOf(domain, t, setAsked)} />
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
						{provider === undefined && <Button onClick={() => setAdding("link")}>{t.createLink}</Button>}
						<Button onClick={() => setAdding("domain")}>{t.add}</Button>
					</>
				)
			}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{data !== undefined && entries.length === 0 && <p class="lk-muted">{t.none}</p>}
			{entries.length > 0 && <EntryList label={t.title} entries={entries} />}
			{adding === "domain" && (
				<AddDomainDialog provider={provider} onClose={() => setAdding(undefined)} onDone={reload} />
			)}
			{(adding === "link" || asked?.what === "link") && (
				<SetUpLinkDialog
					domain={asked?.domain.domain}
					onClose={() => {
						setAdding(undefined);
						close();
					}}
					onDone={reload}
				/>
			)}
			{asked?.what === "change" && (
				<ChangeDomainDialog domain={asked.domain} onClose={close} onDone={reload} />
			)}
			{asked?.what === "revoke" && (
				<ConfirmAction
					title={t.revokeTitle(asked.domain.domain)}
					submitLabel={t.revoke}
					act={() =>
						call("DELETE /identity-providers/set-up-links/{domain}", {
							path: { domain: asked.domain.domain },
						})
					}
					done={t.revoked}
					onClose={close}
					onDone={reload}
				>
					{t.revokeText}
				</ConfirmAction>
			)}
			{asked?.what === "remove" && (
				<ConfirmAction
					title={t.removeTitle(asked.domain.domain)}
					submitLabel={t.remove}
					act={() => call("DELETE /domains/{domain}", { path: { domain: asked.domain.domain } })}
					done={t.removed}
					onClose={close}
					onDone={reload}
				>
					{t.removeText}
				</ConfirmAction>
			)}
		</Card>
	);
}

function itemsOf(domain: Domain, t: WordsOf<"console-settings">["domains"], ask: (asked: Asked) => void) {
	const { issuer_id, set_up } = domain;
	const state = linkStateOf(set_up);
	const item = (what: Asked["what"], label: string) => ({ label, onSelect: () => ask({ what, domain }) });
	const isOfLink = issuer_id === null || (state !== "none" && state !== "finished");
	return [
		item("change", t.change),
		...(isOfLink ? [item("link", state === "none" ? t.createLinkAsk : t.replaceLinkAsk)] : []),
		...(state === "open" ? [item("revoke", t.revokeAsk)] : []),
		{ ...item("remove", t.removeAsk), tone: "danger" as const, startsGroup: true },
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
	const facts = [
		...(providerName === undefined ? [] : [{ term: t.provider, value: link || "" }]),
		...(verified_at === null
			? []
			: [
					{ term: t.verifiedAt, value: <Time at={verified_at} format="datetime" /> },
					{ term: t.seenAt, value: <Time at={record_seen_at} /> },
				]),
		...(linkStateOf(set_up) === "none" ? [] : [{ term: t.link, value: <LinkState domain={domain} /> }]),
	];
	return (
		<div class="lk-stack">
			{facts.length > 0 && <DescriptionList items={facts} />}
			{verified_at === null && (
				<>
					<p>{t.record}</p>
					<CopyField label={t.recordName} value={record.name} />
					<CopyField label={t.recordValue} value={record.value} />
				</>
			)}
			{check.error !== undefined && (
				<Notice tone="danger">
					<ErrorText error={check.error} />
				</Notice>
			)}
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
