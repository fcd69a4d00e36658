// Drafts of decisions, kept when the user opens another request, reloads the list or gets an error.

import { signal } from "@preact/signals";
import { NEW_CLIENT } from "../client-settings/client-settings.ts";

type Draft = Readonly<typeof EMPTY>;

const EMPTY = {
	/** Which form is open. */
	decision: undefined as "approve" | "reject" | undefined,
	/** Of the program's document that was shown when the form opened; undefined before it is known. */
	digest: undefined as string | null | undefined,
	note: "",
	settings: NEW_CLIENT,
	/** What a reviewer sets for a program. */
	program: {
		/** Requested APIs that the reviewer does not allow. */
		refused: [] as readonly string[],
		isForEveryone: true,
		/** As in `ClientSettings`. */
		lastDay: "",
		/** A line for each authorization server: its issuer, and the program's client ID there. */
		audiences: "",
	},
	/** What a reviewer takes away from the request of a user. */
	person: {
		/** Requested roles that are not granted. */
		refused: [] as readonly string[],
		/** `""`: as requested. */
		lastDay: "",
	},
};

/** By ID of the request; in memory only. */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export function draftOf(id: string): Draft {
	return drafts.value.get(id) ?? EMPTY;
}

export function changeDraft(id: string, changes: Partial<Draft>): void {
	drafts.value = new Map([...drafts.value, [id, { ...draftOf(id), ...changes }]]);
}

export function setDecision(id: string, decision: Draft["decision"]): void {
	changeDraft(id, { decision, digest: undefined });
}

export function forgetDraft(id: string): void {
	const { value } = drafts;
	drafts.value = new Map([...value].filter(([other]) => other !== id));
}
