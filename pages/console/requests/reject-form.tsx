// Rejects a request with a reason for the applicant.

import { useLayoutEffect, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { type DecisionProps, useDecision } from "./decide.ts";
import { DecisionMail } from "./decision-mail.tsx";
import { changeDraft, draftOf, setDecision } from "./drafts.ts";
import { NOTE_MAX } from "./note-limit.ts";

export function RejectForm(props: DecisionProps) {
	const t = useWords("console-partners").requests;
	const { request } = props;
	const { id } = request;
	const { note } = draftOf(id);
	const place = useRef<HTMLDivElement>(null);
	// Before the form is painted, so that keys go to the field and not to the shortcuts.
	useLayoutEffect(() => place.current?.querySelector("textarea")?.focus(), []);
	const decision = useDecision(props, t.rejected(request.applicant_name), async () => {
		const body = { review_note: note };
		return (await call("POST /access-requests/{id}/reject", { path: { id }, body })).data;
	});
	return (
		<div ref={place}>
			<Card title={t.rejectTitle} description={t.rejectText}>
				<Form action={decision}>
					<TextArea
						name="review_note"
						label={t.reason}
						hint={t.reasonHint}
						required
						limit={NOTE_MAX}
						value={note}
						onValue={(value) => changeDraft(id, { note: value })}
					/>
					<DecisionMail request={request} decision="reject" note={note} />
					<FormActions>
						<Button type="submit" variant="danger" pending={decision.isPending}>
							{t.rejectAndMail}
						</Button>
						<Button onClick={() => setDecision(id, undefined)}>{uiWords().cancel}</Button>
					</FormActions>
				</Form>
			</Card>
		</div>
	);
}
