// The list of requests next to the open one.

import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { inbox, search } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import "./request-list.css";
import { type AccessRequest, REQUESTS_PATH, type RequestsOnScreen, statusTone } from "./use-requests.ts";

interface RequestListProps {
	readonly requests: RequestsOnScreen;
	readonly openId: string | undefined;
}

const STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const;

export function RequestList({ requests, openId }: RequestListProps) {
	const t = useWords("console-partners").requests;
	const { state, list, rows, total } = requests;
	const { status = "pending", q = "" } = state.values;
	return (
		<section class="lk-request-list" aria-label={t.list}>
			<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
				<SearchBox
					label={t.search}
					placeholder={t.searchShort}
					value={q}
					onValue={(value) => state.set("q", value)}
				/>
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
				<Empty isSearch={q !== "" || status !== "pending"} />
			) : (
				<>
					<ul class="lk-request-list__rows" aria-busy={list.isLoading ? "true" : undefined}>
						{rows.map((row) => (
							<Row key={row.id} row={row} isOpen={row.id === openId} hasStatus={status !== "pending"} />
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
		</section>
	);
}

interface RowProps {
	readonly row: AccessRequest;
	readonly isOpen: boolean;
	readonly hasStatus: boolean;
}

function Row({ row, isOpen, hasStatus }: RowProps) {
	const t = useWords("console-partners").requests;
	return (
		<li>
			<a
				class="lk-request-list__row"
				href={`${REQUESTS_PATH}/${row.id}${location.search}`}
				aria-current={isOpen ? "true" : undefined}
			>
				<span class="lk-request-list__name">
					<bdi>{row.project_name}</bdi>
				</span>
				<span class="lk-request-list__time">
					<Time at={row.created_at} />
				</span>
				<span class="lk-request-list__who">
					<bdi>{row.applicant_name}</bdi>
					{row.company !== "" && (
						<>
							{" · "}
							<bdi>{row.company}</bdi>
						</>
					)}
				</span>
				{(hasStatus || row.status !== "pending") && (
					<Badge tone={statusTone(row.status)}>{t.statuses[row.status]}</Badge>
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
