// `/console/clients`: the credentials of other systems, and who uses them.

import { useState } from "preact/hooks";
import { call, callFile } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { useQuery } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { key, plus } from "../../ui/icons.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import { useSelection } from "../../ui/selection.ts";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { type BulkAction, BulkBar } from "../bulk/bulk-bar.tsx";
import { ExportFile } from "../export/export-file.tsx";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { ClientBadges } from "./client-badges.tsx";
import { type ApiClient, CLIENTS_PATH } from "./client-record.ts";
import { CreateClient } from "./create-client.tsx";

/** Applications offered as a filter; others are reached by links from their own pages. */
const OFFERED_MAX = 100;

/** Set by a link in the overview. */
const FILTERS = ["q", "app_id", "status", "mode", "dormant", "expires_after", "expires_before"];

export function Clients() {
	const t = useWords("console-partners").clients;
	useScreenTitle(t.title);
	const [isCreating, setCreating] = useState(false);
	const state = useListState({ filters: FILTERS });
	const list = usePage("GET /api-clients", state);
	const applications = useApplications();
	const selection = useSelection(list.data?.data.map(({ id }) => id) ?? []);
	const create = isAdmin() ? (
		<Button variant="primary" icon={plus} onClick={() => setCreating(true)}>
			{t.create}
		</Button>
	) : undefined;
	return (
		<>
			<PageHeader
				title={t.title}
				description={t.description}
				actions={
					<>
						<ExportFile
							list="api-clients"
							state={state}
							load={(query, signal) => callFile("GET /api-clients", { query, signal })}
						/>
						{create}
					</>
				}
			/>
			<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
				<SearchBox {...state.field("q")} label={t.search} />
				<Select
					{...state.field("app_id")}
					label={t.application}
					hideLabel
					options={[
						{ value: "", label: t.everyApplication },
						...[...applications].map(([value, label]) => ({ value, label })),
					]}
				/>
				<Select
					{...state.field("status")}
					label={t.status}
					hideLabel
					options={[
						{ value: "", label: t.everyStatus },
						...(["active", "unclaimed", "disabled"] as const).map((value) => ({
							value,
							label: t.states[value],
						})),
					]}
				/>
				<Select
					{...state.field("mode")}
					label={t.clientMode}
					hideLabel
					options={[
						{ value: "", label: t.everyMode },
						{ value: "live", label: t.onlyLive },
						{ value: "test", label: t.onlyTest },
					]}
				/>
				<Select
					{...state.field("dormant")}
					label={t.use}
					hideLabel
					options={[
						{ value: "", label: t.everyUse },
						{ value: "true", label: t.onlyDormant },
						{ value: "false", label: t.notDormant },
					]}
				/>
			</FilterBar>
			<PagedTable
				list={list}
				state={state}
				caption={t.title}
				columns={columnsOf(t, applications)}
				rowKey={({ id }) => id}
				rowName={({ name }) => name}
				selection={isAdmin() ? selection : undefined}
				hrefOf={({ id }) => `${CLIENTS_PATH}/${id}`}
				noMatch={{ title: t.noneFound }}
				empty={
					<EmptyState icon={key} title={t.none} action={create}>
						{t.noneText}
					</EmptyState>
				}
			/>
			{isAdmin() && (
				<BulkBar
					rows={list.data?.data ?? []}
					nameOf={({ name }) => name}
					selection={selection}
					actions={bulkActions(t)}
					onDone={list.reload}
				/>
			)}
			{isCreating && <CreateClient onClose={() => setCreating(false)} />}
		</>
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
		},
		{ key: "status", header: t.status, cell: (client) => <ClientBadges client={client} /> },
		{ key: "used", header: t.lastUse, cell: ({ last_used_at: at }) => <Time at={at} none={t.never} /> },
		{
			key: "expires",
			header: t.expires,
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
