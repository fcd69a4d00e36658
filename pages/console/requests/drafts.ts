// Drafts of decisions, kept when the user opens another request, reloads the list or gets an error.

import { signal } from "@preact/signals";
import { type ClientSettings, NEW_CLIENT } from "../client-settings/client-settings.ts";

interface Draft {
	/** Which form is open. */
	readonly decision: "approve" | "reject" | undefined;
	/** Of the program's document that was shown when the form opened; undefined before it is known. */
	readonly digest: string | null | undefined;
	readonly note: string;
	readonly settings: ClientSettings;
	readonly program: ProgramSettings;
	readonly person: PersonSettings;
}

/** What a reviewer sets for a program. */
interface ProgramSettings {
	/** Requested APIs that the reviewer does not allow. */
	readonly refused: readonly string[];
	readonly isForEveryone: boolean;
	/** As in `ClientSettings`. */
	readonly lastDay: string;
	/** A line for each authorization server: its issuer, and the program's client ID there. */
	readonly audiences: string;
}

/** What a reviewer takes away from the request of a user. */
interface PersonSettings {
	/** Requested roles that are not granted. */
	readonly refused: readonly string[];
	/** `""`: as requested. */
	readonly lastDay: string;
}

const NEW_PROGRAM: ProgramSettings = { refused: [], isForEveryone: true, lastDay: "", audiences: "" };
const EMPTY: Draft = {
	decision: undefined,
	digest: undefined,
	note: "",
	settings: NEW_CLIENT,
	program: NEW_PROGRAM,
	person: { refused: [], lastDay: "" },
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
