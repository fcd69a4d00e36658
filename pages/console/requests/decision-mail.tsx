// What the applicant receives: a summary of the mail, or the full mail on demand. It is in the applicant's language, and
// operators can customize it.

import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { useWords } from "../../words/words.ts";
import "./decision-mail.css";
import type { AccessRequest } from "./use-requests.ts";
import { WholeLetter } from "./whole-letter.tsx";

interface DecisionMailProps {
	readonly request: AccessRequest;
	readonly decision: "approve" | "reject";
	readonly note: string;
}

export function DecisionMail({ request, decision, note }: DecisionMailProps) {
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
				<WholeLetter requestId={request.id} decision={decision} note={note} />
			) : (
				<Summary request={request} decision={decision} note={note} />
			)}
		</section>
	);
}

function Summary({ request, decision, note }: DecisionMailProps) {
	const t = useWords("console-partners").requests.mail;
	const text = note.trim();
	return (
		<>
			<p>
				<span class="lk-muted">{t.to}</span> <bdi>{request.applicant_name}</bdi>{" "}
				<bdi class="lk-muted">{`<${request.email}>`}</bdi>
			</p>
			<p>
				<bdi>
					{decision === "approve" ? t.approved(request.project_name) : t.rejected(request.project_name)}
				</bdi>
			</p>
			{decision === "approve" && <p>{t.link}</p>}
			{text !== "" && (
				<blockquote class="lk-decision-mail__note" dir="auto">
					{text}
				</blockquote>
			)}
			{decision === "reject" && <p>{t.welcome}</p>}
			<p class="lk-decision-mail__hint">{t.language}</p>
		</>
	);
}
