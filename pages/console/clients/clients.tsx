// `/console/clients`: the credentials of other systems, and who uses them.

import { call, callFile } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { useQuery } from "../../api/query.ts";
import { labels } from "../../ui/filter-bar.tsx";
import { key } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { useSelection } from "../../ui/selection.ts";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { type BulkAction, BulkBar } from "../bulk/bulk-bar.tsx";
import { ExportFile } from "../export/export-file.tsx";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { ClientBadges } from "./client-badges.tsx";
import { type ApiClient, CLIENTS_PATH, stateOf } from "./client-record.ts";
import { CreateClient } from "./create-client.tsx";

/** Applications offered as a filter; others are reached by links from their own pages. */
const OFFERED_MAX = 100;

/** Set by a link in the overview. */
const FILTERS = ["q", "app_id", "status", "mode", "dormant", "expires_after", "expires_before"];

export function Clients() {
	const t = useWords("console-partners").clients;
	useScreenTitle(t.title);
	const state = useListState({ filters: FILTERS });
	const list = usePage("GET /api-clients", state);
	const applications = useApplications();
	const selection = useSelection(list.data?.data.map(({ id }) => id) ?? []);
	const filters = [
		{
			name: "app_id",
			label: t.application,
			any: t.everyApplication,
			options: Object.fromEntries(applications),
		},
		{
			name: "status",
			label: t.status,
			any: t.everyStatus,
			options: labels(["active", "unclaimed", "disabled"], t.states),
		},
		{
			name: "mode",
			label: t.clientMode,
			any: t.everyMode,
			options: { live: t.onlyLive, test: t.onlyTest },
		},
		{ name: "dormant", label: t.use, any: t.everyUse, options: { true: t.onlyDormant, false: t.notDormant } },
	];
	return (
		<List
			title={t.title}
			description={t.description}
			search={t.search}
			filters={filters}
			actions={
				<ExportFile
					list="api-clients"
					state={state}
					load={(query, signal) => callFile("GET /api-clients", { query, signal })}
				/>
			}
			add={isAdmin() && { label: t.create, dialog: (close) => <CreateClient onClose={close} /> }}
			list={list}
			state={state}
			caption={t.title}
			columns={columnsOf(t, applications)}
			rowKey={({ id }) => id}
			rowName={({ name }) => name}
			selection={isAdmin() ? selection : undefined}
			hrefOf={({ id }) => `${CLIENTS_PATH}/${id}`}
			noMatch={{ title: t.noneFound }}
			none={{ icon: key, title: t.none, text: t.noneText, offersAdd: true }}
		>
			{isAdmin() && (
				<BulkBar
					rows={list.data?.data ?? []}
					nameOf={({ name }) => name}
					selection={selection}
					actions={bulkActions(t)}
					onDone={list.reload}
				/>
			)}
		</List>
	);
}

type ClientWords = WordsOf<"console-partners">["clients"];

function bulkActions(t: ClientWords): readonly BulkAction<ApiClient>[] {
	const setStatus =
		(status: "active" | "disabled") =>
		({ id }: ApiClient) =>
			call("PATCH /api-clients/{id}", { path: { id }, body: { status } });
	const [disable, enable] = [setStatus("disabled"), setStatus("active")];
	return [
		{
			key: "disable",
			label: t.disable,
			title: t.bulkDisableTitle,
			text: t.bulkDisableText,
			tone: "danger",
			appliesTo: ({ status }) => status === "active",
			run: disable,
			undo: enable,
		},
		{
			key: "enable",
			label: t.enable,
			title: t.bulkEnableTitle,
			text: t.bulkEnableText,
			appliesTo: ({ status }) => status === "disabled",
			run: enable,
			undo: disable,
		},
	];
}

function columnsOf(t: ClientWords, applications: ReadonlyMap<string, string>): Column<ApiClient>[] {
	return [
		{ key: "name", header: t.name, cell: ({ name }) => <bdi>{name}</bdi> },
		{
			key: "application",
			header: t.application,
			cell: ({ app_id: id }) => <bdi>{applications.get(id) ?? ""}</bdi>,
			narrow: "plain",
		},
		{
			key: "partner",
			header: t.partner,
			cell: ({ owner_name: name }) => <bdi>{name}</bdi>,
			isDefault: ({ owner_name: name }) => name === null,
		},
		{
			key: "status",
			header: t.status,
			cell: (client) => <ClientBadges client={client} />,
			isDefault: (client) => stateOf(client) === "active" && client.mode === "live" && !client.dormant,
		},
		{
			key: "used",
			header: t.lastUse,
			cell: ({ last_used_at: at }) => <Time at={at} none={t.never} />,
			isDefault: ({ last_used_at: at }) => at === null,
			narrow: "end",
		},
		{
			key: "expires",
			header: t.expires,
			isDefault: ({ expires_at: at }) => at === null,
			cell: ({ expires_at: at }) => <Time at={at} none={t.never} format="date" />,
		},
	];
}

/** Names by id. */
function useApplications(): ReadonlyMap<string, string> {
	const { data } = useQuery("applications of clients", (signal) =>
		call("GET /applications", { query: { page_size: OFFERED_MAX }, signal }),
	);
	return new Map(data?.data.map(({ id, name }) => [id, name]));
}
