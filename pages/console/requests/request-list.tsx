// The list of requests next to the open one, and the choice between the queues.

import type { ComponentChildren } from "preact";

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { inbox, search } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { AllRowsBox, RowBox } from "../../ui/row-box.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import { type Selection, useSelection } from "../../ui/selection.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { uiWords } from "../../ui/words.ts";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { type BulkAction, BulkBar } from "../bulk/bulk-bar.tsx";
import { useCounts } from "../waiting.ts";
import "./request-list.css";
import {
	PROGRAM_REQUESTS_PATH,
	type QueuedRequest,
	REQUESTS_PATH,
	type RequestsOnScreen,
	statusTone,
} from "./use-requests.ts";

/** The texts of a row. */
export interface RequestTexts {
	readonly title: string;
	readonly detail: ComponentChildren;
}

interface RequestListProps<Row extends QueuedRequest> {
	readonly requests: RequestsOnScreen<Row>;
	readonly openId: string | undefined;
	readonly search: { readonly label: string; readonly placeholder: string };
	readonly textsOf: (row: Row) => RequestTexts;
	readonly noneWaiting: string;
	readonly bulkActions?: readonly BulkAction<Row>[] | undefined;
}

const STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const;

export function RequestList<Row extends QueuedRequest>(props: RequestListProps<Row>) {
	const { requests, openId, search: searched, textsOf, noneWaiting, bulkActions } = props;
	const t = useWords("console-partners").requests;
	const { state, list, rows, total } = requests;
	const { status = "pending", q = "" } = state.values;
	const waiting = useWaitingCounts();
	const selectable = rows?.filter((row) => bulkActions?.some(({ appliesTo }) => appliesTo(row))) ?? [];
	const ids = selectable.map(({ id }) => id);
	const selection = useSelection(ids);
	return (
		<section class="lk-request-list" aria-label={t.list}>
			<nav class="lk-request-list__queues" aria-label={t.queue}>
				{([REQUESTS_PATH, PROGRAM_REQUESTS_PATH] as const).map((path) => (
					<a key={path} href={path} aria-current={path === requests.queue.path ? "page" : undefined}>
						{t.queues[path === REQUESTS_PATH ? "partners" : "programs"]}
						{waiting[path] > 0 && " "}
						{waiting[path] > 0 && <span class="lk-request-list__count">{format.number(waiting[path])}</span>}
					</a>
				))}
			</nav>
			<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
				<SearchBox {...searched} value={q} onValue={(value) => state.set("q", value)} />
				<Select
					name="status"
					label={t.status}
					hideLabel
					value={status}
					onValue={(value) => state.set("status", value)}
					options={[
						...STATUSES.map((value) => ({ value: value as string, label: t.statuses[value] })),
						{ value: "", label: t.statuses.all },
					]}
				/>
			</FilterBar>
			<div role="status">
				{requests.newCount > 0 && (
					<Button size="small" wide onClick={requests.showNew}>
						{t.arrived(requests.newCount)}
					</Button>
				)}
			</div>
			{list.error !== undefined && (
				<LoadError error={list.error} onRetry={list.reload} pending={list.isLoading} />
			)}
			{rows === undefined ? (
				list.error === undefined && <Skeleton lines={10} />
			) : rows.length === 0 ? (
				<Empty isSearch={q !== "" || status !== "pending"} text={noneWaiting} />
			) : (
				<>
					{ids.length > 0 && (
						// biome-ignore lint/a11y/noLabelWithoutControl: it contains the box
						<label class="lk-request-list__all">
							<AllRowsBox keys={ids} selection={selection} />
							{uiWords().selectAll}
						</label>
					)}
					<ul class="lk-request-list__rows" aria-busy={list.isLoading ? "true" : undefined}>
						{rows.map((row) => (
							<ListedRequest
								key={row.id}
								row={row}
								href={`${requests.queue.path}/${row.id}${location.search}`}
								texts={textsOf(row)}
								isOpen={row.id === openId}
								hasStatus={status !== "pending"}
								selection={ids.includes(row.id) ? selection : undefined}
							/>
						))}
					</ul>
					<Pagination
						page={state.page}
						pageSize={list.data?.page_size ?? rows.length}
						total={total}
						totalIsMinimum={list.data?.total_is_minimum}
						onPage={state.setPage}
					/>
				</>
			)}
			{bulkActions !== undefined && (
				<BulkBar
					rows={selectable}
					nameOf={(row) => textsOf(row).title}
					selection={selection}
					actions={bulkActions}
					onDone={requests.afterMany}
				/>
			)}
		</section>
	);
}

/** The requests that wait, by queue. */
function useWaitingCounts(): Readonly<Record<typeof REQUESTS_PATH | typeof PROGRAM_REQUESTS_PATH, number>> {
	const partners = useCounts().data?.data;
	const programs = useQuery("GET /program-requests waiting", (signal) =>
		call("GET /program-requests", { query: { status: "pending", page_size: 1 }, signal }),
	);
	return {
		[REQUESTS_PATH]: partners?.pending_access_requests ?? 0,
		[PROGRAM_REQUESTS_PATH]: programs.data?.total ?? 0,
	};
}

interface ListedRequestProps {
	readonly row: QueuedRequest;
	readonly href: string;
	readonly texts: RequestTexts;
	readonly isOpen: boolean;
	readonly hasStatus: boolean;
	readonly selection: Selection | undefined;
}

function ListedRequest({ row, href, texts, isOpen, hasStatus, selection }: ListedRequestProps) {
	const t = useWords("console-partners").requests;
	return (
		<li class={selection && "lk-request-list__selectable"}>
			{selection && <RowBox rowKey={row.id} name={texts.title} selection={selection} />}
			<a class="lk-request-list__row" href={href} aria-current={isOpen ? "true" : undefined}>
				<span class="lk-request-list__name">
					<bdi>{texts.title}</bdi>
				</span>
				<span class="lk-request-list__time">
					<Time at={row.created_at} />
				</span>
				<span class="lk-request-list__who">{texts.detail}</span>
				{(hasStatus || row.status !== "pending") && (
					<Badge tone={statusTone(row.status)}>{t.statuses[row.status]}</Badge>
				)}
			</a>
		</li>
	);
}

function Empty({ isSearch, text }: { readonly isSearch: boolean; readonly text: string }) {
	const t = useWords("console-partners").requests;
	return isSearch ? (
		<EmptyState icon={search} title={t.noneFound} />
	) : (
		<EmptyState icon={inbox} title={t.noneWaiting}>
			{text}
		</EmptyState>
	);
}
