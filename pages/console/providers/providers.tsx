// `/console/providers`: the providers whose accounts people use to sign in.

import { useLocation } from "wouter-preact";
import { useListState, usePage } from "../../api/list-state.ts";
import { Badge } from "../../ui/badge.tsx";
import { link as linkShape } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { Column } from "../../ui/table.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { AddProviderDialog } from "./add-provider-dialog.tsx";
import { DomainsCard } from "./domains-card.tsx";
import { Uses } from "./issuer-uses.tsx";
import type { Provider } from "./provider-kinds.ts";

export function Providers() {
	const t = useWords("console-settings").providers;
	useScreenTitle(t.title);
	const [, navigate] = useLocation();
	const state = useListState();
	const list = usePage("GET /identity-providers", state);
	const onAdded = ({ id }: Provider) => {
		announce(t.added);
		navigate(`/console/providers/${id}`);
	};
	return (
		<List
			title={t.title}
			description={t.description}
			add={
				isAdmin() && {
					label: t.add,
					dialog: (close) => <AddProviderDialog onClose={close} onAdded={onAdded} />,
				}
			}
			list={list}
			state={state}
			caption={t.caption}
			columns={columnsOf(t)}
			rowKey={({ id }) => id}
			hrefOf={({ id }) => `/console/providers/${id}`}
			expectedRows={3}
			none={{ icon: linkShape, title: t.none, text: t.noneText }}
		>
			<DomainsCard known={list.data?.data} />
		</List>
	);
}

function columnsOf(t: WordsOf<"console-settings">["providers"]): readonly Column<Provider>[] {
	return [
		{ key: "display_name", header: t.name, cell: ({ display_name: name }) => <bdi>{name}</bdi> },
		{ key: "kind", header: t.kind, cell: ({ kind }) => t.kinds[kind] },
		{ key: "uses", header: t.uses, cell: (provider) => <Uses provider={provider} /> },
		{ key: "enabled", header: t.state, cell: (provider) => <ProviderState enabled={provider.enabled} /> },
		{
			key: "sign_up",
			header: t.newAccounts,
			cell: (provider) => (provider.sign_up ? t.getAccount : t.refused),
		},
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
