// One request for a program: what people asked for, the document as it was read, what changed, and the decision.

import { useLayoutEffect } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { EntryList } from "../../ui/entry-list.tsx";
import { people } from "../../ui/icons.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { endOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { audienceLines, audiencesIn } from "../openid/assertion-audiences.ts";
import { Differences } from "../programs/differences.tsx";
import { ProgramDocument } from "../programs/program-document.tsx";
import { isTyping } from "../shortcuts/shortcuts.ts";
import { Decision } from "./decision.tsx";
import { DecisionMail } from "./decision-mail.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { changeDraft, draftOf, setDecision } from "./drafts.ts";
import { NoteField } from "./reject-form.tsx";
import { type DetailProps, focusTitle, RequestFrame, RequestTitle } from "./request-frame.tsx";
import { type ListedProgramRequest, titleOf } from "./request-texts.tsx";
import { type DecisionProps, useDecision } from "./use-decision.ts";
import { loadRequest } from "./use-requests.ts";

type ProgramRequest = Schemas["ProgramRequest"];

export function ProgramDetail(props: DetailProps<ListedProgramRequest>) {
	const t = useWords("console-partners").programRequests;
	const { request, isOvertaken, onOvertaken } = props;
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
						{...props}
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
						request.redirect_uri !== "" && {
							term: t.sentRedirect,
							value: <code>{request.redirect_uri}</code>,
						},
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

/** At the lower edge of the request. */
interface ApproveProgramProps extends DecisionProps<ListedProgramRequest> {
	/** The requested APIs; of a change, those that the program may use. Only these can be allowed here. */
	readonly resources: readonly string[];
	/** Authorization servers to which the program may carry people already; undefined if it has no key for that. */
	readonly audiences: Schemas["ProgramRequest"]["assertion_audiences"] | undefined;
	/** Of the document that is shown: no other is approved. */
	readonly digest: string | null;
	readonly recipients: number;
}

function ApproveProgramForm({ resources, audiences, digest, recipients, ...props }: ApproveProgramProps) {
	const t = useWords("console-partners").programRequests;
	const { request } = props;
	const { id, is_change: isChange } = request;
	const { note, program } = draftOf(id);
	const isNew = !isChange;
	// An approval of a change keeps what is not typed here.
	const typed = isNew || program.audiences !== "" ? program.audiences : undefined;
	const decision = useDecision(props, t.approved(titleOf(request)), async () => {
		const body = {
			allowed_resources: resources.filter((resource) => !program.refused.includes(resource)),
			review_note: note,
			...(digest !== null && { document_digest: digest }),
			...(audiences !== undefined && typed !== undefined && { assertion_audiences: audiencesIn(typed) }),
			...(isNew && {
				access_policy: program.isForEveryone ? ("open" as const) : ("assigned" as const),
				expires_at: endOf(program.lastDay),
			}),
		};
		return (await call("POST /requests/{id}/approve", { path: { id }, body })).data;
	});
	const change = (changes: Partial<typeof program>) =>
		changeDraft(id, { program: { ...draftOf(id).program, ...changes } });
	return (
		<DecisionPanel
			id={id}
			title={t.approve}
			text={isNew ? t.approveText : t.approveChangeText}
			action={decision}
			submitLabel={t.approve}
		>
			{resources.map((resource, index) => (
				<Checkbox
					key={resource}
					name={`allowed_resources.${index}`}
					label={t.allow(resource)}
					value={!program.refused.includes(resource)}
					onValue={(isAllowed) =>
						change({
							refused: isAllowed
								? program.refused.filter((one) => one !== resource)
								: [...program.refused, resource],
						})
					}
				/>
			))}
			{resources.length === 0 && <p class="lk-muted">{t.noApis}</p>}
			{audiences !== undefined && (
				<TextArea
					name="assertion_audiences"
					label={t.carries}
					hint={audiences.length === 0 ? t.carriesHint : t.carriesNow(audienceLines(audiences).join(", "))}
					value={program.audiences}
					onValue={(audiences) => change({ audiences })}
					rows={2}
					code
				/>
			)}
			{isNew && (
				<>
					<Checkbox
						name="access_policy"
						label={t.forEveryone}
						hint={t.forEveryoneHint}
						value={program.isForEveryone}
						onValue={(isForEveryone) => change({ isForEveryone })}
					/>
					<ExpiryField value={program.lastDay} onValue={(lastDay) => change({ lastDay })} />
				</>
			)}
			<NoteField id={id} label={t.note} />
			{recipients > 0 && <DecisionMail request={request} decision="approve" recipients={recipients} />}
		</DecisionPanel>
	);
}
