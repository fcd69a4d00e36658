// Rejects the selected requests with one reason.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { REVIEW_NOTE_MAX } from "../../api/limits.ts";
import { TextArea } from "../../ui/text-area.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import type { BulkAction } from "../bulk/bulk-bar.tsx";
import type { FieldsProps } from "../bulk/task.ts";
import type { QueuedRequest } from "./request-texts.tsx";
import { loadRequest, type RequestsOnScreen } from "./use-requests.ts";

type Decided = RequestsOnScreen["update"];

/** @param onDecided called for each request that is no longer waiting */
export function bulkReject(
	t: WordsOf<"console-partners">["requests"],
	onDecided: Decided,
): BulkAction<QueuedRequest> {
	return {
		key: "reject",
		label: t.reject,
		title: t.bulkRejectTitle,
		text: t.bulkRejectText,
		submitLabel: t.rejectAndMail,
		tone: "danger",
		appliesTo: ({ status }) => status === "pending",
		missing: { review_note: t.reasonMissing },
		Fields: ({ onSteps }: FieldsProps<QueuedRequest>) => (
			<ReasonField
				onReason={(note) =>
					onSteps(note === "" ? undefined : { run: ({ id }) => reject(id, note, onDecided) })
				}
			/>
		),
	};
}

function ReasonField({ onReason }: { readonly onReason: (note: string) => void }) {
	const t = useWords("console-partners").requests;
	const [note, setNote] = useState("");
	return (
		<TextArea
			name="review_note"
			label={t.reason}
			hint={t.reasonHint}
			required
			limit={REVIEW_NOTE_MAX}
			rows={3}
			value={note}
			onValue={(value) => {
				setNote(value);
				onReason(value.trim());
			}}
			autoFocus
		/>
	);
}

/** @throws ApiError `request.already_decided`, unless it was rejected for this reason: the response was lost. */
async function reject(id: string, note: string, onDecided: Decided): Promise<void> {
	try {
		const { data } = await call("POST /requests/{id}/reject", {
			path: { id },
			body: { review_note: note },
		});
		onDecided(data);
	} catch (error) {
		if (!(error instanceof ApiError) || error.code !== "request.already_decided") throw error;
		const current = await loadRequest(id);
		onDecided(current);
		if (current.status !== "rejected" || current.review_note !== note) throw error;
	}
}
