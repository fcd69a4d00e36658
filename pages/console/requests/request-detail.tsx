// The open request, by its kind.

import { useState } from "preact/hooks";
import { PartnerDetail } from "./partner-detail.tsx";
import { ProgramDetail } from "./program-detail.tsx";
import type { RequestProps } from "./use-requests.ts";

export function RequestDetail({ request, requests }: RequestProps) {
	// Decided by another reviewer while the form was open.
	const [isOvertaken, setOvertaken] = useState(false);
	const state = { requests, isOvertaken, onOvertaken: () => setOvertaken(true) };
	return request.kind === "partner" ? (
		<PartnerDetail {...state} request={request} />
	) : (
		<ProgramDetail {...state} request={request} />
	);
}
