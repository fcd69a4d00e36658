// `/console/providers`: the providers whose accounts people use to sign in.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useListState, usePage } from "../../api/list-state.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { link as linkShape, plus } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { Column } from "../../ui/table.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { AddProviderDialog } from "./add-provider-dialog.tsx";
import type { Provider } from "./provider-kinds.ts";

export function Providers() {
	const t = useWords("console-settings").providers;
	useScreenTitle(t.title);
	const [, navigate] = useLocation();
	const state = useListState();
	const list = usePage("GET /identity-providers", state);
	const [isAdding, setAdding] = useState(false);
	const add = isAdmin() ? (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{t.add}
		</Button>
	) : undefined;
	const empty = (
		<EmptyState icon={linkShape} title={t.none}>
			{t.noneText}
		</EmptyState>
	);
	return (
		<>
			<PageHeader title={t.title} description={t.description} actions={add} />
			<PagedTable
				list={list}
				state={state}
				caption={t.caption}
				columns={columnsOf(t)}
				rowKey={({ id }) => id}
				hrefOf={({ id }) => `/console/providers/${id}`}
				expectedRows={3}
				empty={empty}
			/>

			{isAdding && (
				<AddProviderDialog
					onClose={() => setAdding(false)}
					onAdded={({ id }) => {
						announce(t.added);
						navigate(`/console/providers/${id}`);
					}}
				/>
			)}
		</>
	);
}

function columnsOf(t: WordsOf<"console-settings">["providers"]): readonly Column<Provider>[] {
	return [
		{ key: "display_name", header: t.name, cell: ({ display_name: name }) => <bdi>{name}</bdi> },
		{ key: "kind", header: t.kind, cell: ({ kind }) => t.kinds[kind] },
		{ key: "enabled", header: t.state, cell: (provider) => <ProviderState enabled={provider.enabled} /> },
		{ key: "sign_up", header: t.newAccounts, cell: ({ sign_up }) => (sign_up ? t.getAccount : t.refused) },
	];
}

export function ProviderState({ enabled }: { readonly enabled: boolean }) {
	const t = useWords("console-settings").providers;
	return (
		<Badge tone={enabled ? "plain" : "neutral"} dot={!enabled}>
			{enabled ? t.enabled : t.disabled}
		</Badge>
	);
}
