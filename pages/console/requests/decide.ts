// Sends a decision. If another reviewer was faster, shows who decided.

import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { type Action, useAction } from "../../api/query.ts";
import { announce } from "../../ui/status-line.tsx";
import { forgetDraft } from "./drafts.ts";
import type { AccessRequest, RequestProps } from "./use-requests.ts";

export interface DecisionProps extends RequestProps {
	readonly onOvertaken: () => void;
}

/** Announces `done`, then opens the next request. */
export function useDecision(
	{ request, requests, onOvertaken }: DecisionProps,
	done: string,
	decide: () => Promise<AccessRequest>,
): Action<[], void> {
	return useAction(async () => {
		try {
			const decided = await decide();
			forgetDraft(request.id);
			announce(done);
			requests.update(decided, "next");
		} catch (error) {
			if (!(error instanceof ApiError) || error.code !== "access_request.already_decided") throw error;
			const { data } = await call("GET /access-requests/{id}", { path: { id: request.id } });
			onOvertaken();
			requests.update(data);
		}
	});
}
