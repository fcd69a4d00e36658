// The list of requests next to the open one, with its filters.

import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar, labels } from "../../ui/filter-bar.tsx";
import { inbox, search } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { RowBox, SelectAll } from "../../ui/row-box.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { type Selection, useSelection } from "../../ui/selection.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { type BulkAction, BulkBar } from "../bulk/bulk-bar.tsx";
import "./request-list.css";
import { DetailOf, type QueuedRequest, statusTone, titleOf } from "./request-texts.tsx";
import { REQUESTS_PATH, type RequestsOnScreen } from "./use-requests.ts";

interface RequestListProps {
	readonly requests: RequestsOnScreen;
	readonly openId: string | undefined;
	/** Rows can be selected for these. */
	readonly bulkActions?: readonly BulkAction<QueuedRequest>[] | undefined;
}

const KINDS = ["partner", "program", "person"] as const;
const STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const;

export function RequestList({ requests, openId, bulkActions }: RequestListProps) {
	const t = useWords("console-partners").requests;
	const { state, list, rows, total } = requests;
	const { status = "pending", q = "" } = state.values;
	const selectable = rows?.filter((row) => bulkActions?.some(({ appliesTo }) => appliesTo(row))) ?? [];
	const ids = selectable.map(({ id }) => id);
	const selection = useSelection(ids);
	return (
		<section class="lk-request-list" aria-label={t.list}>
			<FilterBar
				state={state}
				filters={[
					{ name: "kind", label: t.kind, any: t.kinds.all, options: labels(KINDS, t.kinds) },
					{
						name: "status",
						label: t.status,
						options: { ...labels(STATUSES, t.statuses), "": t.statuses.all },
					},
				]}
			>
				<SearchBox
					label={t.search}
					placeholder={t.searchShort}
					value={q}
					onValue={(value) => state.set("q", value)}
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
				<Empty isSearch={q !== "" || status !== "pending"} />
			) : (
				<>
					{ids.length > 0 && <SelectAll keys={ids} selection={selection} />}
					<ul class="lk-request-list__rows" aria-busy={list.isLoading ? "true" : undefined}>
						{rows.map((row) => (
							<ListedRequest
								key={row.id}
								row={row}
								href={`${REQUESTS_PATH}/${row.id}${location.search}`}
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
					nameOf={titleOf}
					selection={selection}
					actions={bulkActions}
					onDone={requests.afterMany}
				/>
			)}
		</section>
	);
}

interface ListedRequestProps {
	readonly row: QueuedRequest;
	readonly href: string;
	readonly isOpen: boolean;
	readonly hasStatus: boolean;
	readonly selection: Selection | undefined;
}

function ListedRequest({ row, href, isOpen, hasStatus, selection }: ListedRequestProps) {
	const words = useWords("console-partners");
	return (
		<li class={selection && "lk-request-list__selectable"}>
			{selection && <RowBox rowKey={row.id} name={titleOf(row)} selection={selection} />}
			<a class="lk-request-list__row" href={href} aria-current={isOpen ? "true" : undefined}>
				<span class="lk-request-list__name lk-one-line">
					<bdi>{titleOf(row)}</bdi>
				</span>
				<span class="lk-request-list__time">
					<Time at={row.created_at} />
				</span>
				<span class="lk-request-list__who lk-one-line">
					<DetailOf request={row} words={words} />
				</span>
				{row.mixed_scripts.length > 0 && <Badge tone="warning">{words.requests.mixedScripts}</Badge>}
				{(hasStatus || row.status !== "pending") && (
					<Badge tone={statusTone(row.status)}>{words.requests.statuses[row.status]}</Badge>
				)}
			</a>
		</li>
	);
}

function Empty({ isSearch }: { readonly isSearch: boolean }) {
	const t = useWords("console-partners").requests;
	return isSearch ? (
		<EmptyState icon={search} title={t.noneFound} />
	) : (
		<EmptyState icon={inbox} title={t.noneWaiting}>
			{t.noneWaitingText}
		</EmptyState>
	);
}
