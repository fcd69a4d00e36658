// The color of a request's status.

import type { AccessRequest } from "./use-requests.ts";

const TONES = { pending: "warning", approved: "success", rejected: "danger", withdrawn: "neutral" } as const;

export function statusTone(status: AccessRequest["status"]): (typeof TONES)[AccessRequest["status"]] {
	return TONES[status];
}
