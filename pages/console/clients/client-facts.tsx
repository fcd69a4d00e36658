// What identifies a client, who owns it, and when it was used.

import type { ComponentChildren } from "preact";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { type Description, DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import type { ApiClient } from "./client-record.ts";

export function ClientFacts({ client }: { readonly client: ApiClient }) {
	const t = useWords("console-partners").clients;
	return (
		<>
			<Card title={t.details}>
				<DescriptionList items={useFacts(client)} />
			</Card>
			<Card
				title={t.credentials}
				description={client.secret_hint === "" ? t.credentialsTextOfKey : t.credentialsText}
			>
				<CopyField label={`${t.apiKey} · X-API-Key`} value={client.api_key} />
				<CopyField label={`${t.applicationId} · X-App-ID`} value={client.app_id} />
				<CopyField label={`${t.tenantId} · X-Tenant-ID`} value={client.tenant_id} />
			</Card>
		</>
	);
}

function useFacts(client: ApiClient): Description[] {
	const t = useWords("console-partners").clients;
	const names = useWords("console-partners").settings.scopeNames;
	const { data: application } = useQuery(`application ${client.app_id}`, async (signal) => {
		if (client.mode === "test") return undefined;
		return (await call("GET /applications/{id}", { path: { id: client.app_id }, signal })).data;
	});
	const previous = client.previous_secret_expires_at;
	const hasKey = client.public_keys.length > 0;
	const hasPrevious = previous !== null && new Date(previous).getTime() > Date.now();
	return [
		{
			term: t.application,
			value: client.mode === "test" ? t.noApplication : (application?.name ?? client.app_id),
		},
		{ term: t.lastUse, value: <LastUse client={client} /> },
		{
			term: t.secret,
			value: client.secret_hint !== "" ? <Secret client={client} /> : hasKey ? t.replacedByKey : t.noSecret,
		},
		...(hasPrevious ? [{ term: t.previousSecret, value: <Until at={previous} /> }] : []),
		{ term: t.expires, value: moment(client.expires_at, t.never) },
		{
			term: t.scopes,
			value: list(
				client.scopes.map((scope) => names[scope]),
				t.noScopes,
			),
		},
		{ term: t.allowlist, value: list(client.ip_allowlist, t.anyAddress) },
		...(client.ip_allowlist_mode === "report" ? [{ term: t.mode, value: t.modes.report }] : []),
		...(client.partner === null ? [] : [{ term: t.partner, value: client.partner }]),
		...(client.owner_name === null
			? []
			: [
					{ term: t.owner, value: client.owner_name },
					{ term: t.ownerEmail, value: client.owner_email },
					{ term: t.purpose, value: client.purpose },
				]),
		...(client.access_request_id === null
			? []
			: [
					{
						term: t.accessRequest,
						value: (
							<a class="lk-link" href={`/console/requests/${client.access_request_id}`}>
								{t.openRequest}
							</a>
						),
					},
				]),
		{ term: t.createdAt, value: moment(client.created_at, "") },
	];
}

function moment(at: string | null, none: string): ComponentChildren {
	return at === null ? none : <Time at={at} format="datetime" />;
}

function list(items: readonly string[], none: string): ComponentChildren {
	if (items.length === 0) return none;
	return (
		<ul class="lk-client__list">
			{items.map((item) => (
				<li key={item}>{item}</li>
			))}
		</ul>
	);
}

function LastUse({ client }: { readonly client: ApiClient }) {
	const t = useWords("console-partners").clients;
	if (client.last_used_at === null) return t.never;
	return (
		<>
			<Time at={client.last_used_at} /> · <bdi>{client.last_used_ip}</bdi>
		</>
	);
}

function Secret({ client }: { readonly client: ApiClient }) {
	return (
		<>
			<code>…{client.secret_hint}</code>
			{client.secret_created_at !== null && (
				<>
					{" · "}
					<Time at={client.secret_created_at} format="datetime" />
				</>
			)}
		</>
	);
}

function Until({ at }: { readonly at: string }) {
	const t = useWords("console-partners").clients;
	return (
		<>
			{t.validUntil} <Time at={at} format="datetime" />
		</>
	);
}
