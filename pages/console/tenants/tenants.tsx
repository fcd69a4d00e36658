// `/console/tenants`: the tenants of the installation, for platform admins.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { building, plus } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { ChangeTenantDialog, signInAddress } from "./change-tenant-dialog.tsx";
import { ContestedResources } from "./contested-resources.tsx";
import { CreateTenantDialog } from "./create-tenant-dialog.tsx";

type Tenant = Schemas["Tenant"];

export function Tenants() {
	const t = useWords("console-settings").tenants;
	useScreenTitle(t.title);
	const state = useListState({ filters: ["q"] });
	const list = usePage("GET /tenants", state);
	const [isCreating, setCreating] = useState(false);
	const [created, setCreated] = useState<Schemas["NewTenant"]>();
	const [chosen, setChosen] = useState<Tenant>();
	const create = (
		<Button variant="primary" icon={plus} onClick={() => setCreating(true)}>
			{t.create}
		</Button>
	);
	return (
		<>
			<PageHeader title={t.title} description={t.description} actions={create} />
			<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
				<SearchBox {...state.field("q")} label={t.search} />
			</FilterBar>
			<div class="lk-stack">
				<PagedTable
					list={list}
					state={state}
					caption={t.caption}
					columns={columnsOf(t)}
					rowKey={({ id }) => id}
					rowName={({ name }) => name}
					rowActions={(tenant) => [{ label: t.change, onSelect: () => setChosen(tenant) }]}
					expectedRows={3}
					noMatch={{ title: t.noMatch, text: t.noMatchText }}
					empty={<EmptyState icon={building} title={t.none} />}
				/>
				<ContestedResources />
			</div>
			{isCreating && (
				<CreateTenantDialog
					onClose={() => setCreating(false)}
					onCreated={(tenant) => {
						setCreating(false);
						setCreated(tenant);
						list.reload();
					}}
				/>
			)}
			{created !== undefined && (
				<CreatedTenantDialog tenant={created} onClose={() => setCreated(undefined)} />
			)}
			{chosen !== undefined && (
				<ChangeTenantDialog
					tenant={chosen}
					onClose={() => setChosen(undefined)}
					onSaved={() => {
						setChosen(undefined);
						announce(t.saved);
						list.reload();
					}}
				/>
			)}
		</>
	);
}

function columnsOf(t: WordsOf<"console-settings">["tenants"]): readonly Column<Tenant>[] {
	return [
		{
			key: "name",
			header: t.name,
			cell: ({ id, name }) => (
				<span class="lk-row">
					<bdi>{name}</bdi>
					{id === session.value.user?.tenant_id && <Badge tone="info">{t.own}</Badge>}
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

/** What the first administrator of a new tenant needs to begin. */
interface CreatedTenantDialogProps {
	readonly tenant: Schemas["NewTenant"];
	readonly onClose: () => void;
}

function CreatedTenantDialog({ tenant, onClose }: CreatedTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	return (
		<Dialog
			onClose={onClose}
			title={t.createdTitle}
			actions={
				<Button variant="primary" onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<p>{t.createdText(tenant.admin.username)}</p>
				<CopyField label={t.signInAddress} value={signInAddress(tenant)} />
				<CopyField label={t.tenantId} value={tenant.id} />
			</div>
		</Dialog>
	);
}
