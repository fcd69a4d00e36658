// What the open request of every kind has: its title, what happened meanwhile, and the forms that decide.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { mayDecide } from "../roles.ts";
import { DecisionChoice } from "./decision-panel.tsx";
import { draftOf } from "./drafts.ts";
import { RejectForm } from "./reject-form.tsx";
import { RelatedRequests } from "./related-requests.tsx";
import "./request-detail.css";
import { mixedNamesOf, type QueuedRequest, statusTone, titleOf } from "./request-texts.tsx";
import type { DecisionProps } from "./use-decision.ts";

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
	const { request, requests, isOvertaken, onOvertaken, recipients } = props;
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
			{isOpen && decision === "reject" && (
				<RejectForm request={request} requests={requests} onOvertaken={onOvertaken} recipients={recipients} />
			)}
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
