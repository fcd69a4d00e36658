// What the palette does with a record, found by its name: the screen of the record opens the dialog that asks.

import { call } from "../../api/client.ts";
import { hasSecret, ROTATE_HASH } from "../clients/client-record.ts";
import { CHECK_HASH, GIVE_HASH } from "../people/person-rules.ts";
import { isAdmin } from "../roles.ts";
import {
	type Act,
	applicationEntry,
	bestOf,
	clientEntry,
	FOUND_MAX,
	type FoundRecords,
	findRecords,
	type PaletteEntry,
	personEntry,
	type Words,
} from "./find-entries.ts";

/** Records, and what is done with those whose name follows the name of an act. */
export async function findAnything(q: string, t: Words, signal: AbortSignal): Promise<FoundRecords> {
	const records = findRecords(q, signal);
	const begun = actIn(q, t);
	if (begun === undefined) return records;
	const { act, name } = begun;
	const [{ entries, error }, others] = await Promise.all([findFor(act, name, signal), records]);
	const acts = entries.map((entry) => ({ ...entry, name: t.actOf[titleOf(act, entry)](entry.name) }));
	return { entries: [...acts, ...others.entries], error: error ?? others.error };
}

/** The records with which it can be done. */
export function findFor(act: Act, q: string, signal: AbortSignal): Promise<FoundRecords> {
	const options = { query: { q, page_size: FOUND_MAX }, signal };
	const people = (hash: string) =>
		call("GET /users", options).then(({ data }) => data.map(personEntry).map(opening(hash)));
	const applications = (hash: string, more: { readonly rotatable?: "true" } = {}) =>
		call("GET /applications", { query: { ...options.query, ...more }, signal }).then(({ data }) =>
			data.map(applicationEntry).map(opening(hash)),
		);
	const clients = async () =>
		(await call("GET /api-clients", options)).data
			.filter(hasSecret)
			.map(clientEntry)
			.map(opening(ROTATE_HASH));
	const kinds = {
		check: () => [people(CHECK_HASH)],
		rotate: () => [clients(), applications("#connect/rotate", { rotatable: "true" })],
		give: () => [people(GIVE_HASH), applications("#access/give")],
	};
	return bestOf(q, kinds[act]());
}

function opening(hash: string) {
	return (entry: PaletteEntry): PaletteEntry => ({ ...entry, target: `${String(entry.target)}${hash}` });
}

function titleOf(act: Act, { kind }: PaletteEntry): keyof Words["actOf"] {
	if (act !== "give") return act;
	return kind === "people" ? "givePerson" : "giveApplication";
}

/** Shorter names match too much. */
const NAME_MIN = 2;

function actIn(typed: string, t: Words): { readonly act: Act; readonly name: string } | undefined {
	if (!isAdmin()) return undefined;
	const text = typed.toLowerCase();
	for (const [act, { begins }] of Object.entries(t.acts) as [Act, Words["acts"][Act]][]) {
		const begin = begins.find((one) => text.startsWith(one.toLowerCase()));
		const name = typed.slice(begin?.length).trim();
		if (begin !== undefined && name.length >= NAME_MIN) return { act, name };
	}
	return undefined;
}
