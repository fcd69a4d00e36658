// Other requests from the same email address or company, or for the same program, with their decisions.

import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import "./related-requests.css";
import { askerOf, type QueuedRequest, statusTone, titleOf, wordsOfKind } from "./request-texts.tsx";
import { REQUESTS_PATH } from "./use-requests.ts";

/** Delayed, so that scrolling through the list does not load them for every request. */
const PASSING_MS = 250;
const SHOWN_MAX = 10;

export function RelatedRequests({ request }: { readonly request: QueuedRequest }) {
	const words = useWords("console-partners");
	const t = words.requests;
	const { relatedText, noneRelated } = wordsOfKind(words, request.kind);
	const [isStaying, setStaying] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setStaying(true), PASSING_MS);
		return () => clearTimeout(timer);
	}, []);
	const { data, error, isLoading, reload } = useQuery(
		isStaying ? `related ${request.id}` : undefined,
		(signal) => call("GET /requests", { query: { related_to: request.id, page_size: SHOWN_MAX }, signal }),
	);
	return (
		<Card title={t.related} description={relatedText}>
			{error !== undefined ? (
				<LoadError error={error} onRetry={reload} pending={isLoading} />
			) : data === undefined ? (
				<Skeleton lines={2} />
			) : data.total === 0 ? (
				<p class="lk-muted">{noneRelated}</p>
			) : (
				<Related rows={data.data} total={data.total} of={request} />
			)}
		</Card>
	);
}

interface RelatedProps {
	readonly rows: readonly QueuedRequest[];
	readonly total: number;
	readonly of: QueuedRequest;
}

function Related({ rows, total, of }: RelatedProps) {
	const t = useWords("console-partners").requests;
	return (
		<>
			<ul class="lk-related">
				{rows.map((row) => (
					<li key={row.id}>
						<span class="lk-related__line">
							<a class="lk-link" href={`${REQUESTS_PATH}/${row.id}${location.search}`}>
								<bdi>{titleOf(row)}</bdi>
							</a>
							<Badge tone={statusTone(row.status)}>{t.statuses[row.status]}</Badge>
							<span class="lk-related__time">
								<Time at={row.created_at} />
							</span>
						</span>
						<span class="lk-muted">
							<bdi>{askerOf(row)}</bdi>
							{row.kind === "partner" && of.kind === "partner" && " · "}
							{row.kind === "partner" &&
								of.kind === "partner" &&
								(row.email === of.email ? t.sameAddress : <bdi>{row.email}</bdi>)}
						</span>
						{row.review_note !== "" && (
							<blockquote class="lk-related__note" dir="auto">
								{row.review_note}
							</blockquote>
						)}
					</li>
				))}
			</ul>
			{total > rows.length && <p class="lk-muted">{t.moreRelated(total - rows.length)}</p>}
		</>
	);
}
