// How a request of each kind is named in lists, and the color of its status.

import type { ComponentChildren } from "preact";
import type { Schemas } from "../../api/routes.ts";
import type { WordsOf } from "../../words/words.ts";

export type AccessRequest = Schemas["ReviewedAccessRequest"];
export type ListedProgramRequest = Schemas["ListedProgramRequest"];
export type PersonRequest = Schemas["PersonRequest"];
export type QueuedRequest = AccessRequest | ListedProgramRequest | PersonRequest;

/** What it is about: a project, a program, or an application. */
export function titleOf(request: QueuedRequest): string {
	if (request.kind === "partner") return request.project_name;
	return request.kind === "person" ? request.app_name : (request.name ?? request.host);
}

/** Who asks: an applicant, the host of a program, or a user. */
export function askerOf(request: QueuedRequest): string {
	if (request.kind === "partner") return request.applicant_name;
	return request.kind === "person" ? request.display_name || request.username : request.host;
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
	} else if (request.kind === "person")
		details.push(" · ", request.roles.join(", ") || words.personRequests.noRoles);
	else details.push(" · ", request.is_change ? words.programRequests.change : words.requests.kinds.program);
	return <>{details}</>;
}

/** The texts that each kind has in its own words. */
export function wordsOfKind(words: WordsOf<"console-partners">, kind: QueuedRequest["kind"]) {
	return { partner: words.requests, program: words.programRequests, person: words.personRequests }[kind];
}

const TONES = { pending: "warning", approved: "success", rejected: "danger", withdrawn: "neutral" } as const;

export function statusTone(status: QueuedRequest["status"]): (typeof TONES)[QueuedRequest["status"]] {
	return TONES[status];
}
