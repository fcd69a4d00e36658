// `/console/keys`: the keys that clients use to administer the tenant.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Button } from "../../ui/button.tsx";
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
				<ConfirmAction
					title={t.revokeTitle}
					confirmLabel={t.revoke}
					typeToConfirm={chosen.name}
					act={() => call("DELETE /admin-keys/{id}", { path: { id: chosen.id } })}
					done={t.revoked}
					onClose={() => setChosen(undefined)}
					onDone={list.reload}
				>
					{t.revokeText}
				</ConfirmAction>
			)}
		</>
	);
}
