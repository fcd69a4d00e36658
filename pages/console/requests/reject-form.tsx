// The form that rejects a request with a reason, at the lower edge of the open one; and the note of both decisions.

import { useLayoutEffect, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import { REVIEW_NOTE_MAX } from "../../api/limits.ts";
import { TextArea } from "../../ui/text-area.tsx";
import { useWords } from "../../words/words.ts";
import { DecisionMail } from "./decision-mail.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { changeDraft, draftOf } from "./drafts.ts";
import { askerOf, titleOf, wordsOfKind } from "./request-texts.tsx";
import { type DecisionProps, useDecision } from "./use-decision.ts";

export function RejectForm(props: DecisionProps & { readonly recipients: number }) {
	const words = useWords("console-partners");
	const { request, recipients } = props;
	const { id } = request;
	const place = useRef<HTMLDivElement>(null);
	// Before the form is painted, so that keys go to the field and not to the shortcuts.
	useLayoutEffect(() => place.current?.querySelector("textarea")?.focus(), []);
	const isPartner = request.kind === "partner";
	const t = wordsOfKind(words, request.kind);
	const isMailed = recipients > 0;
	const decision = useDecision(
		props,
		t.rejected(request.kind === "program" ? titleOf(request) : askerOf(request)),
		async () => {
			const body = { review_note: draftOf(id).note };
			return (await call("POST /requests/{id}/reject", { path: { id }, body })).data;
		},
	);
	return (
		<DecisionPanel
			id={id}
			title={words.requests.rejectTitle}
			text={
				request.kind === "program" && request.is_change
					? words.programRequests.rejectChangeText
					: t.rejectText
			}
			action={decision}
			submitLabel={isMailed ? words.requests.rejectAndMail : words.programRequests.reject}
			isDanger
		>
			<div ref={place}>
				<NoteField
					id={id}
					label={words.requests.reason}
					hint={isPartner ? words.requests.reasonHint : undefined}
					isRequired
				/>
			</div>
			{isMailed && <DecisionMail request={request} decision="reject" recipients={recipients} />}
		</DecisionPanel>
	);
}

interface NoteFieldProps {
	readonly id: string;
	readonly label: string;
	readonly hint?: string | undefined;
	readonly isRequired?: boolean;
}

export function NoteField({ id, label, hint, isRequired = false }: NoteFieldProps) {
	return (
		<TextArea
			name="review_note"
			label={label}
			{...(hint !== undefined && { hint })}
			required={isRequired}
			optional={!isRequired}
			limit={REVIEW_NOTE_MAX}
			rows={isRequired ? 3 : 2}
			value={draftOf(id).note}
			onValue={(note) => changeDraft(id, { note })}
		/>
	);
}
