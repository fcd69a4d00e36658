// `/console/tenants`: the tenants of the installation, for platform admins.

import { useState } from "preact/hooks";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { building } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
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
	const [created, setCreated] = useState<Schemas["NewTenant"]>();
	const [chosen, setChosen] = useState<Tenant>();
	const onCreated = (tenant: Schemas["NewTenant"]) => {
		setCreated(tenant);
		list.reload();
	};
	return (
		<>
			<List
				title={t.title}
				description={t.description}
				search={t.search}
				add={{
					label: t.create,
					dialog: (close) => (
						<CreateTenantDialog
							onClose={close}
							onCreated={(tenant) => {
								close();
								onCreated(tenant);
							}}
						/>
					),
				}}
				list={list}
				state={state}
				caption={t.caption}
				columns={columnsOf(t)}
				rowKey={({ id }) => id}
				rowName={({ name }) => name}
				rowActions={(tenant) => [{ label: t.change, onSelect: () => setChosen(tenant) }]}
				expectedRows={3}
				noMatch={{ title: t.noMatch, text: t.noMatchText }}
				none={{ icon: building, title: t.none }}
			>
				<ContestedResources />
			</List>
			{created !== undefined && (
				<CreatedTenantDialog tenant={created} onClose={() => setCreated(undefined)} />
			)}
			{chosen !== undefined && (
				<>
					<ChangeTenantDialog
						tenant={chosen}
						onClose={() => setChosen(undefined)}
						onSaved={() => {
							setChosen(undefined);
							announce(t.saved);
							list.reload();
						}}
					/>
					<Configured
						section="tenant"
						managedBy={chosen.managed_by}
						isMarked
						isForeign={chosen.id !== session.value.user?.tenant_id}
					/>
				</>
			)}
		</>
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
