// One request for a program: what people asked for, the document as it was read, what changed, and the decision.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { EntryList } from "../../ui/entry-list.tsx";
import { people } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { Differences } from "../programs/differences.tsx";
import { ProgramDocument } from "../programs/program-document.tsx";
import { isReader, mayDecide } from "../roles.ts";
import { isTyping } from "../shortcuts/shortcuts.ts";
import { DecisionChoice } from "./decision-panel.tsx";
import { changeDraft, draftOf, setDecision } from "./drafts.ts";
import { ApproveProgramForm, RejectProgramForm } from "./program-decision-forms.tsx";
import { Overtaken } from "./request-detail.tsx";
import "./request-detail.css";
import { type ListedProgramRequest, type RequestProps, statusTone } from "./use-requests.ts";

type ProgramRequest = Schemas["ProgramRequest"];

/** The first request of a document does not move the focus. */
let isFirst = true;

export function ProgramRequestDetail({ request, requests }: RequestProps<ListedProgramRequest>) {
	const t = useWords("console-partners").programRequests;
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		if (!isFirst) title.current?.focus();
		isFirst = false;
	}, []);
	const [isOvertaken, setOvertaken] = useState(false);
	const { id, status, updated_at: updatedAt } = request;
	const query = useQuery(`GET /program-requests/${id} ${updatedAt}`, async (signal) => {
		return (await call("GET /program-requests/{id}", { path: { id }, signal })).data;
	});
	const { decision, digest: opened } = draftOf(id);
	const shownDigest = query.data?.document_digest;
	// The list renews itself, so a document that the reviewer has not read may appear while the form is open.
	const isReplaced = opened !== undefined && shownDigest !== undefined && shownDigest !== opened;
	useLayoutEffect(() => {
		if (isReplaced) {
			setOvertaken(true);
			// What the reviewer types must not become shortcuts. The form sends the digest it opened with.
			if (opened !== null && isTyping(document.activeElement)) return;
			setDecision(id, undefined);
			title.current?.focus();
		} else if (decision !== undefined && opened === undefined) changeDraft(id, { digest: shownDigest });
	}, [id, decision, opened, shownDigest, isReplaced]);
	const isOpen = status === "pending" && mayDecide() && query.data !== undefined;
	const form = { request, requests, onOvertaken: () => setOvertaken(true) };
	return (
		<div class="lk-request">
			<div class="lk-request__read">
				{isOvertaken && <Overtaken request={request} />}
				{isOvertaken && status === "pending" && (
					<Notice tone="warning" title={t.documentChanged}>
						{t.documentChangedText}
					</Notice>
				)}
				<Loaded query={query}>
					{(shown) => <Shown request={{ ...shown, ...request }} titleRef={title} />}
				</Loaded>
			</div>
			{isOpen && decision === undefined && <DecisionChoice id={id} />}
			{isOpen && decision === "approve" && query.data && (
				<ApproveProgramForm
					{...form}
					resources={query.data.resources}
					digest={opened ?? query.data.document_digest}
				/>
			)}
			{isOpen && decision === "reject" && <RejectProgramForm {...form} />}
		</div>
	);
}

interface ShownProps {
	readonly request: ProgramRequest;
	readonly titleRef: { current: HTMLHeadingElement | null };
}

function Shown({ request, titleRef }: ShownProps) {
	const words = useWords("console-partners");
	const t = words.programRequests;
	const { kind, status, host, name, document, differences, resources } = request;
	return (
		<>
			<Card>
				<header class="lk-request__head">
					<h2 ref={titleRef} tabIndex={-1} class="lk-request__title">
						<bdi>{name ?? host}</bdi>
					</h2>
					<Badge tone={statusTone(status)} dot>
						{words.requests.statuses[status]}
					</Badge>
				</header>
				<p>{kind === "new" ? t.aboutNew : document === undefined ? t.aboutUnreadable : t.aboutChange}</p>
				<DescriptionList
					items={[
						{ term: words.programs.host, value: host },
						{ term: words.programs.clientId, value: <code>{request.client_id}</code> },
						...(request.redirect_uri === ""
							? []
							: [{ term: t.sentRedirect, value: <code>{request.redirect_uri}</code> }]),
						{
							term: t.apis,
							value:
								resources.length === 0
									? t.noApis
									: resources.map((resource) => (
											<div key={resource}>
												<code>{resource}</code>
											</div>
										)),
						},
						{ term: t.since, value: <Time at={request.created_at} format="datetime" /> },
					]}
				/>
			</Card>
			{differences.length > 0 && <Differences differences={differences} />}
			{status !== "pending" && <Decided request={request} />}
			{request.requested_by.length > 0 && (
				<Card title={t.askers}>
					<EntryList
						label={t.askers}
						entries={request.requested_by.map(({ user_id, username, reason, created_at }) => ({
							key: user_id,
							icon: people,
							title: username,
							badge: <Time at={created_at} />,
							detail: <span dir="auto">{reason}</span>,
						}))}
					/>
				</Card>
			)}
			{document === undefined ? (
				<Notice tone="warning">{t.unreadable}</Notice>
			) : (
				<ProgramDocument document={document} />
			)}
		</>
	);
}

function Decided({ request }: { readonly request: ProgramRequest }) {
	const words = useWords("console-partners");
	const t = words.requests;
	const { status, application_id: program, reviewed_at: at, review_note: note } = request;
	return (
		<Card
			title={t.decision}
			footer={
				status === "approved" && program !== null && isReader() ? (
					<Link href={`/console/programs/${program}`}>{words.programRequests.openProgram}</Link>
				) : undefined
			}
		>
			<DescriptionList
				items={
					status === "withdrawn"
						? [
								{
									term: words.programRequests.withdrawn,
									value: <Time at={request.updated_at} format="datetime" />,
								},
							]
						: [
								{ term: t.decidedBy, value: request.reviewed_by_name ?? t.byCommand },
								{ term: t.decidedAt, value: at === null ? null : <Time at={at} format="datetime" /> },
								{
									term: t.note,
									value: note === "" ? t.noNote : <span class="lk-request__note">{note}</span>,
								},
							]
				}
			/>
		</Card>
	);
}
