// `/console/clients`: the credentials of other systems, and who uses them.

import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { labels } from "../../ui/filter-bar.tsx";
import { key } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { useSelection } from "../../ui/selection.ts";
import { Course } from "../../ui/stat-tile.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { type BulkAction, BulkBar } from "../bulk/bulk-bar.tsx";
import { ExportFile } from "../export/export-file.tsx";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { rangeIn } from "../statistics/period.ts";
import { refusalsOf } from "../statistics/result-chart.tsx";
import "./client.css";
import { ClientBadges } from "./client-badges.tsx";
import { type ApiClient, CLIENTS_PATH, stateOf } from "./client-record.ts";
import { CreateClient } from "./create-client.tsx";

/** Applications offered as a filter; others are reached by links from their own pages. */
const OFFERED_MAX = 100;

/** Set by a link in the overview. */
const FILTERS = ["q", "app_id", "status", "mode", "dormant", "expires_after", "expires_before", "sort"];
const REFUSED_FIRST = "refused_24h";
const ORDERS = [REFUSED_FIRST, "calls_24h", "name", "expires_at", "newest"] as const;
/** These orders have the smallest first, the others the largest. */
const ASCENDING: readonly string[] = ["name", "expires_at"];
const HOUR_MS = 3_600_000;

type ListedClient = Schemas["ListedApiClient"];

export function Clients() {
	const t = useWords("console-partners").clients;
	useScreenTitle(t.title);
	const state = useListState({ filters: FILTERS, defaults: { sort: REFUSED_FIRST } });
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
		// The headers that sort are not on a phone.
		{ name: "sort", label: t.sort, options: labels(ORDERS, t.sorts) },
	];
	const { sort = REFUSED_FIRST } = state.values;
	const refusesNone = sort === REFUSED_FIRST && list.data?.data[0]?.refused_24h === 0;
	return (
		<List
			title={t.title}
			description={t.description}
			search={t.search}
			filters={filters}
			actions={<ExportFile list="api-clients" route="GET /api-clients" state={state} />}
			add={isAdmin() && { label: t.create, dialog: (close) => <CreateClient onClose={close} /> }}
			list={list}
			state={state}
			caption={t.title}
			columns={columnsOf(t, applications)}
			// Without it, the column that says nothing is hidden.
			sort={refusesNone ? undefined : { key: sort, direction: ASCENDING.includes(sort) ? "asc" : "desc" }}
			onSort={({ key }) => state.set("sort", key === sort ? "newest" : key)}
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

function columnsOf(t: ClientWords, applications: ReadonlyMap<string, string>): Column<ListedClient>[] {
	return [
		{ key: "name", header: t.name, sortable: true, cell: ({ name }) => <bdi>{name}</bdi> },
		{
			key: "application",
			header: t.application,
			cell: ({ app_id: id }) => <bdi>{applications.get(id) ?? ""}</bdi>,
			narrow: "hidden",
		},
		{
			key: "partner",
			header: t.partner,
			cell: ({ partner }) => <bdi>{partner}</bdi>,
			isDefault: ({ partner }) => partner === null,
			narrow: "plain",
		},
		{
			key: "calls_24h",
			header: t.calls24h,
			sortable: true,
			align: "end",
			width: "9rem",
			cell: ({ calls_24h: calls, calls_by_hour: hours }) => (
				<span class="lk-client__calls">
					{calls > 0 && <Course values={hours} />}
					{format.number(calls)}
				</span>
			),
			isDefault: ({ calls_24h: calls }) => calls === 0,
			narrow: "hidden",
		},
		{
			key: REFUSED_FIRST,
			header: t.refused24h,
			sortable: true,
			align: "end",
			width: "8rem",
			cell: ({ id, refused_24h: refused }) =>
				refused > 0 && (
					<a class="lk-client__refused" href={refusedHref(id)}>
						{format.number(refused)}
					</a>
				),
			isDefault: ({ refused_24h: refused }) => refused === 0,
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
			key: "expires_at",
			header: t.expires,
			sortable: true,
			isDefault: ({ expires_at: at }) => at === null,
			cell: ({ expires_at: at }) => at !== null && <Time at={at} format="date" />,
		},
	];
}

/** The refused calls that the list counts. */
function refusedHref(id: string): string {
	const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
	return refusalsOf({ subject: "api_client", api_client_id: id })(rangeIn(now - 23 * HOUR_MS, now + HOUR_MS));
}

/** Names by id. */
function useApplications(): ReadonlyMap<string, string> {
	const { data } = useQuery("applications of clients", (signal) =>
		call("GET /applications", { query: { page_size: OFFERED_MAX }, signal }),
	);
	return new Map(data?.data.map(({ id, name }) => [id, name]));
}
