// Sends a decision. If another reviewer was faster, shows who decided; if the document changed, shows the new one.

import { ApiError } from "../../api/error.ts";
import { type Action, useAction } from "../../api/query.ts";
import { announce } from "../../ui/status-line.tsx";
import { forgetDraft, setDecision } from "./drafts.ts";
import type { QueuedRequest } from "./request-texts.tsx";
import { loadRequest, type RequestProps } from "./use-requests.ts";

export interface DecisionProps<Row extends QueuedRequest = QueuedRequest> extends RequestProps<Row> {
	readonly onOvertaken: () => void;
}

const OVERTAKEN = ["request.already_decided", "program_request.document_changed"];

/** Announces `done`, then opens the next request. */
export function useDecision(
	{ request, requests, onOvertaken }: DecisionProps,
	done: string,
	decide: () => Promise<QueuedRequest>,
): Action<[], void> {
	return useAction(async () => {
		try {
			const decided = await decide();
			forgetDraft(request.id);
			announce(done);
			requests.update(decided, "next");
		} catch (error) {
			if (!(error instanceof ApiError) || !OVERTAKEN.includes(error.code)) throw error;
			const current = await loadRequest(request.id);
			// The reviewer decided on an earlier document and must read this one first.
			setDecision(request.id, undefined);
			onOvertaken();
			requests.update(current);
		}
	});
}
