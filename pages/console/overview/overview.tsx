// `/console`: recent activity, waiting requests, and what needs attention.

import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { type Query, useQuery, useRenewal } from "../../api/query.ts";
import type { ResponseOf } from "../../api/routes.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { askerOf, titleOf } from "../requests/request-texts.tsx";
import { isReader } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { useCounts } from "../waiting.ts";
import { Activity } from "./activity.tsx";
import { Attention } from "./attention.tsx";
import { FirstSteps, mayShowSteps } from "./first-steps.tsx";
import "./overview.css";
import { Card } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const WAITING = { status: "pending", sort: "oldest", page_size: 5 } as const;

export function Overview() {
	const t = useWords("console").overview;
	useScreenTitle(t.title);
	const overview = useCounts();
	const requests = useQuery("GET /requests waiting", (signal) =>
		call("GET /requests", { query: WAITING, signal }),
	);
	useRenewal(requests);
	useEffect(() => {
		// From before another screen changed something.
		if (overview.data !== undefined) overview.renew();
	}, []);
	const steps = overview.data?.data.first_steps;
	const [hasActivity, setActivity] = useState(false);
	// The first steps would move what is below them, and so would the charts of a new installation, which are empty.
	const isHeld = mayShowSteps() && !(hasActivity && (overview.data ?? overview.error) !== undefined);
	return (
		<>
			<PageHeader title={t.title} />
			{isHeld && <Skeleton height="30rem" />}
			<div hidden={isHeld}>
				<div class="lk-stack">
					{steps && <FirstSteps steps={steps} />}
					{isReader() && <Activity requests={requests} onSettled={() => setActivity(true)} />}
					<div class={isReader() ? "lk-overview__first" : "lk-stack"}>
						<WaitingRequests query={requests} />
						{isReader() && <Attention query={overview} />}
					</div>
				</div>
			</div>
		</>
	);
}

/** The requests that wait for a decision, the oldest first. */
function WaitingRequests({ query }: { readonly query: Query<ResponseOf<"GET /requests">> }) {
	const t = useWords("console").overview;
	const { data, error, isLoading, loadedAt, reload } = query;
	// An error is no all-clear.
	const isShown = error === undefined || (data?.total ?? 0) > 0;
	const isEmpty = isShown && data?.total === 0;
	return (
		<Card
			title={t.waiting}
			description={isEmpty ? t.noneWaiting : data && isShown ? t.waitingCount(data.total) : undefined}
			flush
			footer={<Link href="/console/requests">{t.allRequests}</Link>}
		>
			{isEmpty ? undefined : (
				<>
					{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
					{error !== undefined && isShown && loadedAt !== undefined && (
						<p class="lk-overview__as-of">{t.asOf(format.time(loadedAt))}</p>
					)}
					{isShown && (
						<Table
							caption={t.waiting}
							columns={[
								{
									key: "title",
									header: t.request,
									cell: (request) => <bdi>{titleOf(request)}</bdi>,
								},
								{
									key: "asker",
									header: t.asker,
									cell: (request) => (
										<bdi>{(request.kind === "partner" && request.company) || askerOf(request)}</bdi>
									),
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
						/>
					)}
				</>
			)}
		</Card>
	);
}
