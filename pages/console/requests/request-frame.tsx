// What the open request of every kind has: its title, what happened meanwhile, and the forms that decide.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { mayDecide } from "../roles.ts";
import { DecisionChoice } from "./decision-panel.tsx";
import { draftOf } from "./drafts.ts";
import { RejectForm } from "./reject-form.tsx";
import "./request-detail.css";
import { useCall } from "../../api/use-call.ts";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import {
	askerOf,
	mixedNamesOf,
	type QueuedRequest,
	statusTone,
	titleOf,
	wordsOfKind,
} from "./request-texts.tsx";
import type { DecisionProps } from "./use-decision.ts";
import "./related-requests.css";
import { REQUESTS_PATH } from "./use-requests.ts";

export interface DetailProps<Row extends QueuedRequest> extends DecisionProps<Row> {
	readonly isOvertaken: boolean;
}

interface FrameProps extends DetailProps<QueuedRequest> {
	/** False until everything that a reviewer must read is shown. */
	readonly isReady: boolean;
	/** How many people the decision is mailed to. */
	readonly recipients: number;
	readonly notices?: ComponentChildren;
	readonly approveForm: ComponentChildren;
	readonly children: ComponentChildren;
}

export function RequestFrame(props: FrameProps) {
	const t = useWords("console-partners").requests;
	const { request, isOvertaken } = props;
	const { id, status } = request;
	const { decision } = draftOf(id);
	const isOpen = status === "pending" && mayDecide() && props.isReady;
	const frame = useRef<HTMLDivElement>(null);
	// Here and not in the title: a form that opens at once renders the frame again, so its focus comes after this one.
	useEffect(() => {
		// The title is above what the page keeps scrolled to: scroll to it.
		if (!isFirst) focusTitle(frame.current);
		isFirst = false;
	}, []);
	return (
		<div ref={frame} class="lk-request">
			<div class="lk-request__read">
				{isOvertaken && <Overtaken request={request} />}
				{props.notices}
				{request.mixed_scripts.length > 0 && (
					<Notice tone="warning" title={t.mixedScripts}>
						{t.mixedScriptsText(mixedNamesOf(request))}
					</Notice>
				)}
				{props.children}
				<RelatedRequests request={request} />
			</div>
			{isOpen && decision === undefined && <DecisionChoice id={id} />}
			{isOpen && decision === "approve" && props.approveForm}
			{isOpen && decision === "reject" && <RejectForm {...props} />}
		</div>
	);
}

/** The first request of a document does not move the focus. */
let isFirst = true;

/** Of the request that `within` contains. */
export function focusTitle(within: ParentNode | null): void {
	within?.querySelector<HTMLElement>(".lk-request__title")?.focus();
}

export function RequestTitle({ request }: { readonly request: QueuedRequest }) {
	const t = useWords("console-partners").requests;
	return (
		<header class="lk-request__head">
			<h2 tabIndex={-1} class="lk-request__title">
				<bdi>{titleOf(request)}</bdi>
			</h2>
			<Badge tone={statusTone(request.status)} dot>
				{t.statuses[request.status]}
			</Badge>
		</header>
	);
}

/** Announced, because the open form was removed. */
function Overtaken({ request }: { readonly request: QueuedRequest }) {
	const t = useWords("console-partners").requests;
	const { status, reviewed_by_name: name, reviewed_at: at } = request;
	if (status === "pending") return null;
	return (
		<Notice tone="warning" title={t.overtaken}>
			{status === "withdrawn"
				? t.overtakenByApplicant
				: t.overtakenBy(name ?? t.somebody, t.statuses[status])}{" "}
			{at !== null && <Time at={at} />}
		</Notice>
	);
}

/** Delayed, so that scrolling through the list does not load them for every request. */
const PASSING_MS = 250;
const SHOWN_MAX = 10;

/** From the same email address or company, or for the same program, with their decisions. */
function RelatedRequests({ request }: { readonly request: QueuedRequest }) {
	const words = useWords("console-partners");
	const t = words.requests;
	const { relatedText, noneRelated } = wordsOfKind(words, request.kind);
	const [isStaying, setStaying] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setStaying(true), PASSING_MS);
		return () => clearTimeout(timer);
	}, []);
	const { data, error, isLoading, reload } = useCall(
		"GET /requests",
		isStaying ? { query: { related_to: request.id, page_size: SHOWN_MAX } } : undefined,
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
