// The open access request of a partner: the applicant, the purpose, the test calls, and the claimed keys.

import { useQuery } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Email } from "../../ui/email.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { PublicKeys } from "../clients/public-keys.tsx";
import { ApprovePartnerForm } from "./approve-partner-form.tsx";
import { Decision } from "./decision.tsx";
import { type DetailProps, RequestFrame, RequestTitle } from "./request-frame.tsx";
import type { AccessRequest } from "./request-texts.tsx";
import { loadRequest } from "./use-requests.ts";

export function PartnerDetail(props: DetailProps<AccessRequest>) {
	const { request, requests, onOvertaken } = props;
	return (
		<RequestFrame
			{...props}
			isReady
			recipients={1}
			approveForm={<ApprovePartnerForm request={request} requests={requests} onOvertaken={onOvertaken} />}
		>
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
