// What the applicant or the people who asked receive: a summary of the mail, or the full mail on demand. It is in their language, and
// operators can customize it.

import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { useWords } from "../../words/words.ts";
import "./decision-mail.css";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useSettled } from "../../api/settled.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { draftOf } from "./drafts.ts";
import { askerOf, type QueuedRequest, titleOf } from "./request-texts.tsx";

interface DecisionMailProps {
	readonly request: QueuedRequest;
	readonly decision: "approve" | "reject";
	/** How many people receive it. */
	readonly recipients: number;
}

export function DecisionMail(props: DecisionMailProps) {
	const { request, decision } = props;
	const { note } = draftOf(request.id);
	const t = useWords("console-partners").requests.mail;
	const [isWhole, setWhole] = useState(false);
	return (
		<section class="lk-decision-mail" aria-label={t.title}>
			<div class="lk-decision-mail__bar">
				<p class="lk-decision-mail__title">{t.title}</p>
				<Button size="small" variant="quiet" onClick={() => setWhole(!isWhole)}>
					{isWhole ? t.showShort : t.showWhole}
				</Button>
			</div>
			{isWhole ? (
				<FullMail requestId={request.id} decision={decision} note={note} />
			) : (
				<Summary {...props} note={note} />
			)}
		</section>
	);
}

function Summary({ request, decision, recipients, note }: DecisionMailProps & { readonly note: string }) {
	const t = useWords("console-partners").requests.mail;
	const text = note.trim();
	return (
		<>
			<p>
				<span class="lk-muted">{t.to}</span>{" "}
				{request.kind === "program" ? t.askers(recipients) : <bdi>{askerOf(request)}</bdi>}
				{request.kind === "partner" && <bdi class="lk-muted">{` <${request.email}>`}</bdi>}
			</p>
			<p>
				<bdi>{decision === "approve" ? t.approved(titleOf(request)) : t.rejected(titleOf(request))}</bdi>
			</p>
			{decision === "approve" && request.kind === "partner" && <p>{t.link}</p>}
			{text !== "" && (
				<blockquote class="lk-decision-mail__note" dir="auto">
					{text}
				</blockquote>
			)}
			{decision === "reject" && request.kind !== "program" && <p>{t.welcome}</p>}
			<p class="lk-decision-mail__hint">{t.language}</p>
		</>
	);
}

interface FullMailProps {
	readonly requestId: string;
	readonly decision: "approve" | "reject";
	readonly note: string;
}

/** Updates as the note is typed. */
function FullMail({ requestId, decision, note }: FullMailProps) {
	const review_note = useSettled(note);
	const key = `letter ${JSON.stringify([requestId, decision, review_note])}`;
	const { data, error, isLoading, reload } = useQuery(key, (signal) => {
		const body = { decision, review_note };
		return call("POST /requests/{id}/decision-mail", { path: { id: requestId }, body, signal });
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
