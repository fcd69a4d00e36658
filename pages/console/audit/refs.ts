// Actors and targets of events, `noun:<id>`: their names, and the screens that show them.

import type { WordsOf } from "../../words/words.ts";
import { CONSOLE_PATHS } from "../paths.ts";

type Words = WordsOf<"console-audit">;

/** The screen of a record, by its noun. */
const SCREENS: Readonly<Record<string, string>> = {
	user: "/console/people/{id}",
	api_client: "/console/clients/{id}",
	application: "/console/applications/{id}",
	group: "/console/groups/{id}",
	access_request: "/console/requests/{id}",
	person_request: "/console/requests/{id}",
	program_request: "/console/requests/{id}",
};

interface Ref {
	readonly noun: string;
	readonly id: string;
}

export function partsOf(ref: string): Ref {
	const colon = ref.indexOf(":");
	return colon === -1 ? { noun: ref, id: "" } : { noun: ref.slice(0, colon), id: ref.slice(colon + 1) };
}

/** "ada (person)", "Application Shop"; without a name the id. */
export function nameOfRef(words: Words, ref: string, name: string): string {
	const { noun, id } = partsOf(ref);
	if (noun === "user" && name !== "") return words.person(name);
	const what = words.nouns[noun as keyof Words["nouns"]] ?? noun.replaceAll("_", " ");
	return id === "" ? what : `${what} ${name || id}`;
}

/** Undefined where no screen shows it. */
export function screenOf(ref: string): string | undefined {
	const { noun, id } = partsOf(ref);
	const path = SCREENS[noun];
	const isThere = path !== undefined && (CONSOLE_PATHS as readonly string[]).includes(path);
	return isThere && id !== "" ? path.replace("{id}", encodeURIComponent(id)) : undefined;
}
