// The full mail of a decision, as the service would send it now, in the applicant's language with the installation's templates.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useSettled } from "../../api/settled.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";

interface WholeLetterProps {
	readonly requestId: string;
	readonly decision: "approve" | "reject";
	readonly note: string;
}

/** Updates as the note is typed. */
export function WholeLetter({ requestId, decision, note }: WholeLetterProps) {
	const review_note = useSettled(note);
	const key = `letter ${JSON.stringify([requestId, decision, review_note])}`;
	const { data, error, isLoading, reload } = useQuery(key, (signal) => {
		const body = { decision, review_note };
		return call("POST /access-requests/{id}/decision-mail", { path: { id: requestId }, body, signal });
	});
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={6} />;
	return <Letter mail={data.data} />;
}

function Letter({ mail }: { readonly mail: Schemas["DecisionMail"] }) {
	const t = useWords("console-partners").requests.mail;
	return (
		<>
			<dl class="lk-decision-mail__head">
				<dt>{t.from}</dt>
				<dd>
					<bdi>{mail.from_name}</bdi> <bdi class="lk-muted">{`<${mail.from_address}>`}</bdi>
				</dd>
				<dt>{t.to}</dt>
				<dd>
					<bdi>{mail.to_name}</bdi> <bdi class="lk-muted">{`<${mail.to_address}>`}</bdi>
				</dd>
				<dt>{t.subject}</dt>
				<dd>
					<bdi>{mail.subject}</bdi>
				</dd>
			</dl>
			<div class="lk-decision-mail__letter" lang={mail.locale} dir="auto">
				{mail.text.trimEnd()}
			</div>
		</>
	);
}
