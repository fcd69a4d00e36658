// What was decided, by whom, and whether the credentials were collected.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { type Description, DescriptionList } from "../../ui/description-list.tsx";
import { mail } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isReader, mayDecide } from "../roles.ts";
import type { RequestProps } from "./use-requests.ts";

export function Decision({ request }: RequestProps) {
	const t = useWords("console-partners").requests;
	const resend = useAction(async () => {
		await call("POST /access-requests/{id}/resend", { path: { id: request.id } });
		announce(t.resent(request.email));
	});
	const {
		status,
		reviewed_at: at,
		review_note: note,
		api_client_id: clientId,
		claimed_at: claimedAt,
	} = request;
	const items: Description[] = [
		...(status === "withdrawn"
			? [{ term: t.withdrawn, value: <Time at={request.updated_at} format="datetime" /> }]
			: [
					{ term: t.decidedBy, value: request.reviewed_by_name ?? t.byCommand },
					{ term: t.decidedAt, value: at === null ? null : <Time at={at} format="datetime" /> },
					{ term: t.note, value: note === "" ? t.noNote : <span class="lk-request__note">{note}</span> },
				]),
		...(status === "approved"
			? [{ term: t.credentials, value: claimedAt === null ? t.notClaimed : <Claimed at={claimedAt} /> }]
			: []),
	];
	const canResend = status === "approved" && claimedAt === null && mayDecide();
	const hasClient = clientId !== null && isReader();
	return (
		<Card
			title={t.decision}
			footer={
				canResend || hasClient ? (
					<>
						{canResend && (
							<Button icon={mail} pending={resend.isPending} onClick={() => resend.run()}>
								{t.resend}
							</Button>
						)}
						{hasClient && <Link href={`/console/clients/${clientId}`}>{t.openClient}</Link>}
					</>
				) : undefined
			}
		>
			<DescriptionList items={items} />
			{resend.error !== undefined && (
				<LoadError error={resend.error} onRetry={() => resend.run()} pending={resend.isPending} />
			)}
		</Card>
	);
}

function Claimed({ at }: { readonly at: string }) {
	const t = useWords("console-partners").requests;
	return (
		<>
			{t.claimed} <Time at={at} />
		</>
	);
}
