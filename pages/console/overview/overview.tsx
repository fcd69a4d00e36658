// `/console`: recent activity, waiting requests, and what needs attention.

import { PageHeader } from "../../ui/page-header.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { isReader } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { useWaitingRequests } from "../waiting.ts";
import { Activity } from "./activity.tsx";
import { Attention } from "./attention.tsx";
import "./overview.css";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { inbox } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

export function Overview() {
	const t = useWords("console").overview;
	useScreenTitle(t.title);
	return (
		<>
			<PageHeader title={t.title} />
			<div class="lk-stack">
				{isReader() && <Activity />}
				<div class={isReader() ? "lk-overview__first" : "lk-stack"}>
					<WaitingRequests />
					{isReader() && <Attention />}
				</div>
			</div>
		</>
	);
}

/** The access requests that wait for a decision, the oldest first. */
function WaitingRequests() {
	const t = useWords("console").overview;
	const { data, error, isLoading, loadedAt, reload } = useWaitingRequests();
	// An error is no all-clear.
	const isShown = error === undefined || (data?.total ?? 0) > 0;
	return (
		<Card
			title={t.waiting}
			description={data !== undefined && data.total > 0 ? t.waitingCount(data.total) : undefined}
			flush
			footer={<Link href="/console/requests">{t.allRequests}</Link>}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{error !== undefined && isShown && loadedAt !== undefined && (
				<p class="lk-overview__as-of">{t.asOf(format.time(loadedAt))}</p>
			)}
			{isShown && (
				<Table
					caption={t.waiting}
					columns={[
						{
							key: "project_name",
							header: t.project,
							cell: ({ project_name }) => <bdi>{project_name}</bdi>,
						},
						{
							key: "applicant",
							header: t.applicant,
							cell: ({ company, applicant_name }) => <bdi>{company || applicant_name}</bdi>,
						},
						{
							key: "created_at",
							header: t.since,
							cell: ({ created_at }) => <Time at={created_at} />,
							width: "8rem",
						},
					]}
					rows={data?.data}
					rowKey={({ id }) => id}
					hrefOf={({ id }) => `/console/requests/${id}`}
					isLoading={isLoading}
					expectedRows={3}
					empty={
						<EmptyState icon={inbox} title={t.noneWaiting}>
							{t.noneWaitingText}
						</EmptyState>
					}
				/>
			)}
		</Card>
	);
}
