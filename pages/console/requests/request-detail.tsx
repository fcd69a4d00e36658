// One request: applicant, purpose, decision, and the two decision forms.

import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Email } from "../../ui/email.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { mayDecide } from "../roles.ts";
import { Decision } from "./decision.tsx";
import { ApproveForm, RejectForm } from "./decision-forms.tsx";
import { DecisionChoice } from "./decision-panel.tsx";
import { draftOf } from "./drafts.ts";
import { RelatedRequests } from "./related-requests.tsx";
import "./request-detail.css";
import type { AccessRequest, RequestProps } from "./use-requests.ts";
import { statusTone } from "./use-requests.ts";

/** The first request of a document does not move the focus. */
let isFirst = true;

export function RequestDetail({ request, requests }: RequestProps) {
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		// The title is above what the page keeps scrolled to: scroll to it.
		if (!isFirst) title.current?.focus();
		isFirst = false;
	}, []);
	// Decided by another reviewer while the form was open.
	const [isOvertaken, setOvertaken] = useState(false);
	const { decision } = draftOf(request.id);
	const isOpen = request.status === "pending" && mayDecide();
	const form = { request, requests, onOvertaken: () => setOvertaken(true) };
	return (
		<div class="lk-request">
			<div class="lk-request__read">
				{isOvertaken && <Overtaken request={request} />}
				<Card>
					<Heading request={request} titleRef={title} />
					<p class="lk-request__purpose" dir="auto">
						{request.purpose}
					</p>
					<Facts request={request} />
				</Card>
				{request.status !== "pending" && <Decision request={request} requests={requests} />}
				<RelatedRequests request={request} />
			</div>
			{isOpen && decision === undefined && <DecisionChoice id={request.id} />}
			{isOpen && decision === "approve" && <ApproveForm {...form} />}
			{isOpen && decision === "reject" && <RejectForm {...form} />}
		</div>
	);
}

interface HeadingProps {
	readonly request: AccessRequest;
	readonly titleRef: { current: HTMLHeadingElement | null };
}

function Heading({ request, titleRef }: HeadingProps) {
	const t = useWords("console-partners").requests;
	return (
		<header class="lk-request__head">
			<h2 ref={titleRef} tabIndex={-1} class="lk-request__title">
				<bdi>{request.project_name}</bdi>
			</h2>
			<Badge tone={statusTone(request.status)} dot>
				{t.statuses[request.status]}
			</Badge>
		</header>
	);
}

function Facts({ request }: { readonly request: AccessRequest }) {
	const t = useWords("console-partners").requests;
	const { test_calls_ok: ok, test_calls_refused: refused } = request;
	const testCalls = ok + refused === 0 ? [] : [{ term: t.testCalls, value: t.testCallCounts(ok, refused) }];
	return (
		<DescriptionList
			items={[
				{ term: t.applicant, value: request.applicant_name },
				{ term: t.email, value: <Email address={request.email} /> },
				{ term: t.company, value: request.company },
				...testCalls,
				{
					term: t.submitted,
					value: (
						<>
							{format.dateTime(request.created_at)} (<Time at={request.created_at} />)
						</>
					),
				},
			]}
		/>
	);
}

type Reviewed = Pick<AccessRequest, "status" | "reviewed_by_name" | "reviewed_at">;

/** Announced, because the open form was removed. */
export function Overtaken({ request }: { readonly request: Reviewed }) {
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
