// The open access request of a partner: the applicant, the purpose, the test calls, the claimed keys, and the form that approves it.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Email } from "../../ui/email.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { ApplicationField } from "../client-settings/application-field.tsx";
import { type ClientSettings, endOf, entriesOf, settingsBody } from "../client-settings/client-settings.ts";
import { SettingsFields } from "../client-settings/settings-fields.tsx";
import { PublicKeys } from "../clients/public-keys.tsx";
import { Decision } from "./decision.tsx";
import { DecisionMail } from "./decision-mail.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { changeDraft, draftOf } from "./drafts.ts";
import { NoteField } from "./reject-form.tsx";
import { type DetailProps, RequestFrame, RequestTitle } from "./request-frame.tsx";
import type { AccessRequest } from "./request-texts.tsx";
import { type DecisionProps, useDecision } from "./use-decision.ts";
import { loadRequest } from "./use-requests.ts";

export function PartnerDetail(props: DetailProps<AccessRequest>) {
	const { request } = props;
	return (
		<RequestFrame {...props} isReady recipients={1} approveForm={<ApprovePartnerForm {...props} />}>
			<Card>
				<RequestTitle request={request} />
				<p class="lk-request__purpose" dir="auto">
					{request.purpose}
				</p>
				<Facts request={request} />
			</Card>
			{request.status !== "pending" && <Decision request={request} recipients={1} />}
			{request.claimed_at !== null && <ClaimedKeys request={request} />}
		</RequestFrame>
	);
}

/** Nothing for a client with a Secret, and for a deleted one. */
function ClaimedKeys({ request: { id, api_client_id: clientId } }: { readonly request: AccessRequest }) {
	const { data, reload } = useQuery(`keys of request ${id}`, (signal) => loadRequest(id, signal));
	if (data?.kind !== "partner" || clientId === null || data.public_keys.length === 0) return null;
	return <PublicKeys clientId={clientId} keys={data.public_keys} onChange={reload} />;
}

function Facts({ request }: { readonly request: AccessRequest }) {
	const t = useWords("console-partners").requests;
	const { test_calls_ok: ok, test_calls_refused: refused } = request;
	return (
		<DescriptionList
			items={[
				{ term: t.applicant, value: request.applicant_name },
				{ term: t.email, value: <Email address={request.email} /> },
				{ term: t.company, value: request.company },
				ok + refused > 0 && { term: t.testCalls, value: t.testCallCounts(ok, refused) },
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

/** Application, scopes, allowlist and expiry of the new API client: one line until they are changed. */
function ApprovePartnerForm(props: DecisionProps<AccessRequest>) {
	const t = useWords("console-partners").requests;
	const { request } = props;
	const { id } = request;
	const { note, settings } = draftOf(id);
	const [isUnfolded, setUnfolded] = useState(false);
	const decision = useDecision(props, t.approved(request.applicant_name), async () => {
		const { app_id, ...body } = settingsBody(settings);
		const approval = { ...body, ...(app_id === "" ? {} : { app_id }), review_note: note };
		return (await call("POST /requests/{id}/approve", { path: { id }, body: approval })).data;
	});
	const change = (changes: Partial<ClientSettings>) =>
		changeDraft(id, { settings: { ...draftOf(id).settings, ...changes } });
	return (
		<DecisionPanel
			id={id}
			title={t.approveTitle}
			text={t.approveText}
			action={decision}
			submitLabel={t.approveAndMail}
		>
			{isUnfolded ? (
				<>
					<ApplicationField
						value={settings.application}
						onValue={(application) => change({ application })}
						newName={request.project_name}
					/>
					<SettingsFields settings={settings} onChange={change} />
				</>
			) : (
				<Summary request={request} settings={settings} onChange={() => setUnfolded(true)} />
			)}
			<NoteField id={id} label={t.noteToApplicant} />
			<DecisionMail request={request} decision="approve" recipients={1} />
		</DecisionPanel>
	);
}

interface SummaryProps {
	readonly request: AccessRequest;
	readonly settings: ClientSettings;
	readonly onChange: () => void;
}

function Summary({ request, settings, onChange }: SummaryProps) {
	const t = useWords("console-partners").requests.summary;
	const { application, scopes, allowlist, lastDay } = settings;
	const end = endOf(lastDay);
	const facts = [
		application === undefined ? t.newApplication(request.project_name) : application.name,
		t.scopes(scopes.length),
		t.addresses(entriesOf(allowlist).length),
		end === null ? t.neverExpires : t.expires(format.date(end)),
	];
	return (
		<p class="lk-decision__summary">
			<span>
				{facts.map((fact, index) => (
					<>
						{index > 0 && " · "}
						<bdi key={fact}>{fact}</bdi>
					</>
				))}
			</span>
			<Button size="small" variant="quiet" onClick={onChange}>
				{t.change}
			</Button>
		</p>
	);
}
