// Sends a decision. If another reviewer was faster, shows who decided; if the document changed, shows the new one.

import { ApiError } from "../../api/error.ts";
import { type Action, useAction } from "../../api/query.ts";
import { announce } from "../../ui/status-line.tsx";
import { forgetDraft, setDecision } from "./drafts.ts";
import type { AccessRequest, QueuedRequest, RequestProps } from "./use-requests.ts";

export interface DecisionProps<Row extends QueuedRequest = AccessRequest> extends RequestProps<Row> {
	readonly onOvertaken: () => void;
}

const OVERTAKEN = [
	"access_request.already_decided",
	"program_request.already_decided",
	"program_request.document_changed",
];

/** Announces `done`, then opens the next request. */
export function useDecision<Row extends QueuedRequest>(
	{ request, requests, onOvertaken }: DecisionProps<Row>,
	done: string,
	decide: () => Promise<Row>,
): Action<[], void> {
	return useAction(async () => {
		try {
			const decided = await decide();
			forgetDraft(request.id);
			announce(done);
			requests.update(decided, "next");
		} catch (error) {
			if (!(error instanceof ApiError) || !OVERTAKEN.includes(error.code)) throw error;
			const current = await requests.queue.load(request.id);
			// The reviewer decided on an earlier document and must read this one first.
			setDecision(request.id, undefined);
			onOvertaken();
			requests.update(current);
		}
	});
}
