// What was decided, by whom, and what came of it.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { mail } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isReader, mayDecide } from "../roles.ts";
import type { QueuedRequest } from "./request-texts.tsx";

interface DecisionProps {
	readonly request: QueuedRequest;
	/** How many people the decision was mailed to. */
	readonly recipients: number;
}

export function Decision({ request, recipients }: DecisionProps) {
	const words = useWords("console-partners");
	const t = words.requests;
	const { resend, resent, openResult, withdrawn } = useKindWords(request);
	const send = useAction(async () => {
		await call("POST /requests/{id}/resend", { path: { id: request.id } });
		announce(resent);
	});
	const { status, reviewed_at: at, review_note: note } = request;
	const isApproved = status === "approved";
	const [isClaimed, result] =
		request.kind === "partner"
			? [request.claimed_at !== null, clientPath(request.api_client_id)]
			: request.kind === "person"
				? [false, `/console/people/${request.user_id}`]
				: [false, isApproved ? programPath(request.application_id) : undefined];
	const canResend = isApproved && !isClaimed && recipients > 0 && mayDecide();
	const hasResult = result !== undefined && isReader();
	const items = [
		...(status === "withdrawn"
			? [{ term: withdrawn, value: <Time at={request.updated_at} format="datetime" /> }]
			: [
					{ term: t.decidedBy, value: request.reviewed_by_name ?? t.byCommand },
					{ term: t.decidedAt, value: at === null ? null : <Time at={at} format="datetime" /> },
					{ term: t.note, value: note === "" ? t.noNote : <span class="lk-request__note">{note}</span> },
				]),
		isApproved &&
			request.kind === "partner" && { term: t.credentials, value: <Claimed at={request.claimed_at} /> },
	];
	return (
		<Card
			title={t.decision}
			footer={
				canResend || hasResult ? (
					<>
						{canResend && (
							<Button icon={mail} pending={send.isPending} onClick={() => send.run()}>
								{resend}
							</Button>
						)}
						{hasResult && <Link href={result}>{openResult}</Link>}
					</>
				) : undefined
			}
		>
			<DescriptionList items={items} />
			{send.error !== undefined && (
				<LoadError error={send.error} onRetry={() => send.run()} pending={send.isPending} />
			)}
		</Card>
	);
}

function useKindWords(request: QueuedRequest) {
	const {
		requests: partner,
		programRequests: program,
		personRequests: person,
	} = useWords("console-partners");
	if (request.kind === "person") return { ...program, ...person, openResult: person.openPerson };
	return request.kind === "partner"
		? { ...partner, resent: partner.resent(request.email), openResult: partner.openClient }
		: { ...program, openResult: program.openProgram };
}

const clientPath = (id: string | null) => (id === null ? undefined : `/console/clients/${id}`);
const programPath = (id: string | null) => (id === null ? undefined : `/console/programs/${id}`);

function Claimed({ at }: { readonly at: string | null }) {
	const t = useWords("console-partners").requests;
	if (at === null) return <>{t.notClaimed}</>;
	return (
		<>
			{t.claimed} <Time at={at} />
		</>
	);
}
