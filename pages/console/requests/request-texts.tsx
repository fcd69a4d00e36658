// How a request of each kind is named in lists, and the color of its status.

import type { ComponentChildren } from "preact";
import type { Schemas } from "../../api/routes.ts";
import type { WordsOf } from "../../words/words.ts";

export type AccessRequest = Schemas["ReviewedAccessRequest"];
export type ListedProgramRequest = Schemas["ListedProgramRequest"];
export type QueuedRequest = AccessRequest | ListedProgramRequest;

/** What it is about: a project, or a program. */
export function titleOf(request: QueuedRequest): string {
	return request.kind === "partner" ? request.project_name : (request.name ?? request.host);
}

/** Who asks: an applicant, or the host of a program. */
export function askerOf(request: QueuedRequest): string {
	return request.kind === "partner" ? request.applicant_name : request.host;
}

/** The names that mix scripts within a word. */
export function mixedNamesOf(request: QueuedRequest): string {
	const names: Readonly<Record<string, unknown>> = { ...request };
	return request.mixed_scripts.map((field) => names[field]).join(", ");
}

export function DetailOf({
	request,
	words,
}: {
	readonly request: QueuedRequest;
	readonly words: WordsOf<"console-partners">;
}) {
	const details: ComponentChildren[] = [<bdi key="asker">{askerOf(request)}</bdi>];
	if (request.kind === "partner") {
		if (request.company !== "") details.push(" · ", <bdi key="company">{request.company}</bdi>);
	} else details.push(" · ", request.is_change ? words.programRequests.change : words.requests.kinds.program);
	return <>{details}</>;
}

const TONES = { pending: "warning", approved: "success", rejected: "danger", withdrawn: "neutral" } as const;

export function statusTone(status: QueuedRequest["status"]): (typeof TONES)[QueuedRequest["status"]] {
	return TONES[status];
}
