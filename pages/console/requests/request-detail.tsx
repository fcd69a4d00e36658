// One request: applicant, purpose, decision, and the two decision forms.

import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { check } from "../../ui/icons.ts";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { mayDecide } from "../roles.ts";
import { Decision } from "./decision.tsx";
import { ApproveForm, RejectForm } from "./decision-forms.tsx";
import { draftOf, setDecision } from "./drafts.ts";
import { RelatedRequests } from "./related-requests.tsx";
import "./request-detail.css";
import type { AccessRequest, RequestProps } from "./use-requests.ts";
import { statusTone } from "./use-requests.ts";

/** The first request of a document does not move the focus. */
let isFirst = true;

export function RequestDetail({ request, requests }: RequestProps) {
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		if (!isFirst) title.current?.focus({ preventScroll: true });
		isFirst = false;
	}, []);
	// Decided by another reviewer while the form was open.
	const [isOvertaken, setOvertaken] = useState(false);
	const { decision } = draftOf(request.id);
	const isOpen = request.status === "pending" && mayDecide();
	const form = { request, requests, onOvertaken: () => setOvertaken(true) };
	return (
		<div class="lk-stack">
			{isOvertaken && <Overtaken request={request} />}
			<Card>
				<Heading request={request} titleRef={title} hasChoice={isOpen && decision === undefined} />
				<p class="lk-request__purpose" dir="auto">
					{request.purpose}
				</p>
				<Facts request={request} />
			</Card>
			{request.status !== "pending" && <Decision request={request} requests={requests} />}
			{isOpen && decision === "approve" && <ApproveForm {...form} />}
			{isOpen && decision === "reject" && <RejectForm {...form} />}
			<RelatedRequests request={request} />
		</div>
	);
}

interface HeadingProps {
	readonly request: AccessRequest;
	readonly titleRef: { current: HTMLHeadingElement | null };
	readonly hasChoice: boolean;
}

function Heading({ request, titleRef, hasChoice }: HeadingProps) {
	const t = useWords("console-partners").requests;
	return (
		<header class="lk-request__head">
			<h2 ref={titleRef} tabIndex={-1} class="lk-request__title">
				<bdi>{request.project_name}</bdi>
			</h2>
			<Badge tone={statusTone(request.status)} dot>
				{t.statuses[request.status]}
			</Badge>
			{hasChoice && <Choice id={request.id} />}
		</header>
	);
}

function Facts({ request }: { readonly request: AccessRequest }) {
	const t = useWords("console-partners").requests;
	return (
		<DescriptionList
			items={[
				{ term: t.applicant, value: request.applicant_name },
				{ term: t.email, value: request.email },
				{ term: t.company, value: request.company },
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

function Choice({ id }: { readonly id: string }) {
	const t = useWords("console-partners").requests;
	return (
		<div class="lk-request__choice">
			<Button variant="primary" icon={check} onClick={() => setDecision(id, "approve")}>
				{t.approve}
			</Button>
			<Button onClick={() => setDecision(id, "reject")}>{t.reject}</Button>
		</div>
	);
}

/** Announced, because the open form was removed. */
function Overtaken({ request }: { readonly request: AccessRequest }) {
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
