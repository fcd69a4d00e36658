// One request for a program: what people asked for, the document as it was read, what changed, and the decision.

import { useLayoutEffect } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { EntryList } from "../../ui/entry-list.tsx";
import { people } from "../../ui/icons.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { Differences } from "../programs/differences.tsx";
import { ProgramDocument } from "../programs/program-document.tsx";
import { isTyping } from "../shortcuts/shortcuts.ts";
import { ApproveProgramForm } from "./approve-program-form.tsx";
import { Decision } from "./decision.tsx";
import { changeDraft, draftOf, setDecision } from "./drafts.ts";
import { type DetailProps, focusTitle, RequestFrame, RequestTitle } from "./request-frame.tsx";
import type { ListedProgramRequest } from "./request-texts.tsx";
import { loadRequest } from "./use-requests.ts";

type ProgramRequest = Schemas["ProgramRequest"];

export function ProgramDetail(props: DetailProps<ListedProgramRequest>) {
	const t = useWords("console-partners").programRequests;
	const { request, requests, isOvertaken, onOvertaken } = props;
	const { id, status, updated_at: updatedAt } = request;
	const query = useQuery(`GET /requests/${id} ${updatedAt}`, async (signal) => {
		const shown = await loadRequest(id, signal);
		return shown.kind === "program" ? shown : undefined;
	});
	const digest = useOpenedDigest(id, query.data?.document_digest, onOvertaken);
	const recipients = query.data?.requested_by.length ?? 0;
	return (
		<RequestFrame
			{...props}
			isReady={query.data !== undefined}
			recipients={recipients}
			notices={
				isOvertaken &&
				status === "pending" && (
					<Notice tone="warning" title={t.documentChanged}>
						{t.documentChangedText}
					</Notice>
				)
			}
			approveForm={
				query.data && (
					<ApproveProgramForm
						request={request}
						requests={requests}
						onOvertaken={onOvertaken}
						resources={query.data.resources}
						audiences={audiencesOf(query.data)}
						digest={digest ?? query.data.document_digest}
						recipients={recipients}
					/>
				)
			}
		>
			<Loaded query={query}>{(shown) => shown && <Shown request={{ ...shown, ...request }} />}</Loaded>
		</RequestFrame>
	);
}

/** Undefined for a program without a key, which gets no assertions. */
function audiencesOf({ document, assertion_audiences: audiences }: ProgramRequest) {
	return document?.token_endpoint_auth_method === "private_key_jwt" ? audiences : undefined;
}

/** The digest of the document that was shown when the form opened. Closes the form if another one is shown. */
function useOpenedDigest(id: string, shown: string | null | undefined, onReplaced: () => void) {
	const { decision, digest: opened } = draftOf(id);
	// The list renews itself, so a document that the reviewer has not read may appear while the form is open.
	const isReplaced = opened !== undefined && shown !== undefined && shown !== opened;
	useLayoutEffect(() => {
		if (isReplaced) {
			onReplaced();
			// What the reviewer types must not become shortcuts. The form sends the digest it opened with.
			if (opened !== null && isTyping(document.activeElement)) return;
			setDecision(id, undefined);
			focusTitle(document);
		} else if (decision !== undefined && opened === undefined) changeDraft(id, { digest: shown });
	}, [id, decision, opened, shown, isReplaced]);
	return opened;
}

function Shown({ request }: { readonly request: ProgramRequest }) {
	const words = useWords("console-partners");
	const t = words.programRequests;
	const { is_change: isChange, status, host, document, differences, resources } = request;
	return (
		<>
			<Card>
				<RequestTitle request={request} />
				<p>{!isChange ? t.aboutNew : document === undefined ? t.aboutUnreadable : t.aboutChange}</p>
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
			{status !== "pending" && <Decision request={request} recipients={request.requested_by.length} />}
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
