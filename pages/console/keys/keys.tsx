// `/console/keys`: the keys with which programs administer the tenant.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { key as keyShape, plus, trash } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { CreatedKeyDialog } from "./created-key-dialog.tsx";
import { keyColumns } from "./key-columns.tsx";
import { KeyDialog } from "./key-dialog.tsx";

type AdminKey = Schemas["AdminKey"];

export function Keys() {
	const t = useWords("console-settings").keys;
	useScreenTitle(t.title);
	const state = useListState();
	const list = usePage("GET /admin-keys", state);
	const [isCreating, setCreating] = useState(false);
	const [created, setCreated] = useState<Schemas["AdminKeyWithKey"]>();
	const [chosen, setChosen] = useState<AdminKey>();
	const create = (
		<Button variant="primary" icon={plus} onClick={() => setCreating(true)}>
			{t.create}
		</Button>
	);
	const empty = (
		<EmptyState icon={keyShape} title={t.none}>
			{t.noneText}
		</EmptyState>
	);
	return (
		<>
			<PageHeader title={t.title} description={t.description} actions={create} />
			<PagedTable
				list={list}
				state={state}
				caption={t.caption}
				columns={keyColumns(t)}
				rowKey={({ id }) => id}
				rowName={({ name }) => name}
				rowActions={(key) => [
					{ label: t.revoke, icon: trash, tone: "danger", onSelect: () => setChosen(key) },
				]}
				expectedRows={3}
				empty={empty}
			/>

			{isCreating && (
				<KeyDialog
					onClose={() => setCreating(false)}
					onCreated={(key) => {
						setCreating(false);
						setCreated(key);
						announce(t.created);
						list.reload();
					}}
				/>
			)}
			{created !== undefined && <CreatedKeyDialog created={created} onClose={() => setCreated(undefined)} />}
			{chosen !== undefined && (
				<RevokeDialog chosen={chosen} onClose={() => setChosen(undefined)} onRevoked={list.reload} />
			)}
		</>
	);
}

interface RevokeDialogProps {
	readonly chosen: AdminKey;
	readonly onClose: () => void;
	readonly onRevoked: () => void;
}

function RevokeDialog({ chosen, onClose, onRevoked }: RevokeDialogProps) {
	const t = useWords("console-settings").keys;
	const revoke = useAction(async () => {
		await call("DELETE /admin-keys/{id}", { path: { id: chosen.id } });
		announce(t.revoked);
		onClose();
		onRevoked();
	});
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.revokeTitle}
			confirmLabel={t.revoke}
			typeToConfirm={chosen.name}
			onConfirm={revoke.run}
			pending={revoke.isPending}
			error={revoke.error}
		>
			{t.revokeText}
		</ConfirmDialog>
	);
}
