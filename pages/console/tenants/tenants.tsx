// `/console/tenants`: the tenants of the installation, for platform admins.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { useCall } from "../../api/use-call.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { building } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { useScreenTitle } from "../screen-title.ts";
import { ChangeTenantDialog, CreateTenantDialog } from "./tenant-dialogs.tsx";

type Tenant = Schemas["Tenant"];

export function Tenants() {
	const t = useWords("console-settings").tenants;
	useScreenTitle(t.title);
	const state = useListState({ filters: ["q"] });
	const list = usePage("GET /tenants", state);
	const change = (tenant: Tenant) =>
		openDialog((close) => (
			<>
				<ChangeTenantDialog tenant={tenant} onClose={close} onSaved={list.reload} />
				<Configured
					section="tenant"
					managedBy={tenant.managed_by}
					isMarked
					isForeign={tenant.id !== session.value.user?.tenant_id}
				/>
			</>
		));
	return (
		<List
			title={t.title}
			description={t.description}
			search={t.search}
			add={{
				label: t.create,
				dialog: (close) => <CreateTenantDialog onClose={close} onCreated={list.reload} />,
			}}
			list={list}
			state={state}
			caption={t.caption}
			columns={columnsOf(t)}
			rowKey={({ id }) => id}
			rowName={({ name }) => name}
			rowActions={(tenant) => [{ label: t.change, onSelect: () => change(tenant) }]}
			expectedRows={3}
			noMatch={{ title: t.noMatch, text: t.noMatchText }}
			none={{ icon: building, title: t.none }}
		>
			<ContestedResources />
		</List>
	);
}

function columnsOf(t: WordsOf<"console-settings">["tenants"]): readonly Column<Tenant>[] {
	return [
		{
			key: "name",
			header: t.name,
			cell: ({ id, name, managed_by: managedBy }) => (
				<span class="lk-row">
					<bdi>{name}</bdi>
					{id === session.value.user?.tenant_id && <Badge tone="info">{t.own}</Badge>}
					{managedBy && <Badge tone="info">{t.managed}</Badge>}
				</span>
			),
		},
		{ key: "slug", header: t.slug, cell: ({ slug }) => <code>{slug}</code> },
		{
			key: "require_mfa",
			header: t.secondFactor,
			cell: ({ require_mfa: isRequired }) =>
				isRequired ? <Badge>{t.required}</Badge> : <span class="lk-muted">{t.optional}</span>,
		},
		{ key: "created_at", header: t.created, cell: ({ created_at: at }) => <Time at={at} format="date" /> },
	];
}

type Contested = Schemas["ContestedResource"];
const PAGE_SIZE = 20;

/** API identifiers that a tenant cannot use because they are assigned to another one. Shown only if there are any. */
function ContestedResources() {
	const t = useWords("console-settings").tenants;
	const [page, setPage] = useState(1);
	const { data, error, isLoading, reload } = useCall("GET /contested-resources", {
		query: { page, page_size: PAGE_SIZE },
	});
	const assign = ({ resource, tenant_id: id, tenant_name, assigned_tenant_name }: Contested) =>
		confirmAction({
			title: t.assignTitle(resource, tenant_name),
			text: t.assignText(assigned_tenant_name),
			submitLabel: t.assignIt,
			act: () => call("PUT /tenants/{id}/resources", { path: { id }, body: { resource } }),
			done: t.assigned(resource, tenant_name),
			onDone: reload,
		});
	if (error !== undefined) return <LoadError error={error} onRetry={reload} />;
	if (data === undefined || data.total === 0) return null;
	return (
		<Card
			title={t.contested}
			description={t.contestedText}
			flush
			footer={
				data.total > PAGE_SIZE ? (
					<Pagination page={page} pageSize={PAGE_SIZE} total={data.total} onPage={setPage} />
				) : undefined
			}
		>
			<Table
				caption={t.contested}
				columns={[
					{ key: "resource", header: t.resource, cell: ({ resource }) => <code dir="ltr">{resource}</code> },
					{ key: "tenant", header: t.requestedBy, cell: ({ tenant_name }) => <bdi>{tenant_name}</bdi> },
					{
						key: "assigned",
						header: t.assignedTo,
						cell: ({ assigned_tenant_name }) => <bdi>{assigned_tenant_name}</bdi>,
					},
				]}
				rows={data.data}
				rowKey={({ application_id }) => application_id}
				rowName={({ resource, tenant_name }) => `${resource} ${tenant_name}`}
				rowActions={(row) => [{ label: t.assign(row.tenant_name), onSelect: () => assign(row) }]}
				isLoading={isLoading}
				expectedRows={1}
			/>
		</Card>
	);
}
