// The open request of a user for roles of an application.

import { call } from "../../api/client.ts";
import { session } from "../../api/session.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf } from "../client-settings/client-settings.ts";
import { Decision } from "./decision.tsx";
import { DecisionMail } from "./decision-mail.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { changeDraft, draftOf } from "./drafts.ts";
import { NoteField } from "./reject-form.tsx";
import { type DetailProps, RequestFrame, RequestTitle } from "./request-frame.tsx";
import { askerOf, type PersonRequest } from "./request-texts.tsx";
import { type DecisionProps, useDecision } from "./use-decision.ts";

export function PersonDetail(props: DetailProps<PersonRequest>) {
	const t = useWords("console-partners").personRequests;
	const { request } = props;
	const isOwn = request.user_id === session.value.user?.id;
	return (
		<RequestFrame
			{...props}
			isReady={!isOwn}
			recipients={1}
			notices={isOwn && request.status === "pending" && <Notice>{t.own}</Notice>}
			approveForm={<ApprovePersonForm {...props} />}
		>
			<Card>
				<RequestTitle request={request} />
				<p class="lk-request__purpose" dir="auto">
					{request.reason}
				</p>
				<DescriptionList
					items={[
						{ term: t.person, value: `${askerOf(request)} (${request.username})` },
						{ term: t.roles, value: <BadgeList names={request.roles} none={t.noRoles} /> },
						{ term: t.until, value: <Time at={request.until} format="datetime" /> },
						{ term: t.since, value: <Time at={request.created_at} format="datetime" /> },
					]}
				/>
			</Card>
			{request.status !== "pending" && <Decision request={request} recipients={1} />}
		</RequestFrame>
	);
}

/** At the lower edge of the request: which of the roles, and until when. */
function ApprovePersonForm(props: DecisionProps<PersonRequest>) {
	const words = useWords("console-partners");
	const t = words.personRequests;
	const { request } = props;
	const { id } = request;
	const { note, person } = draftOf(id);
	const roles = request.roles.filter((role) => !person.refused.includes(role));
	const lastDay = person.lastDay || dayOf(request.until);
	const decision = useDecision(props, t.approved(askerOf(request)), async () => {
		// On the requested day, the requested time.
		const until = lastDay === dayOf(request.until) ? request.until : (endOf(lastDay) ?? request.until);
		const body = { review_note: note, roles, until };
		return (await call("POST /requests/{id}/approve", { path: { id }, body })).data;
	});
	const change = (changes: Partial<typeof person>) =>
		changeDraft(id, { person: { ...draftOf(id).person, ...changes } });
	return (
		<DecisionPanel
			id={id}
			title={words.requests.approveTitle}
			text={t.approveText}
			action={decision}
			submitLabel={words.requests.approveAndMail}
		>
			{request.roles.length > 0 && (
				<CheckboxGroup
					name="roles"
					label={t.roles}
					values={roles}
					onValues={(kept) => change({ refused: request.roles.filter((role) => !kept.includes(role)) })}
					options={request.roles.map((role) => ({ value: role, label: role }))}
				/>
			)}
			<TextInput
				name="until"
				label={t.until}
				type="date"
				max={dayOf(request.until)}
				value={lastDay}
				onValue={(day) => change({ lastDay: day })}
			/>
			<NoteField id={id} label={t.note} />
			<DecisionMail request={request} decision="approve" recipients={1} />
		</DecisionPanel>
	);
}
