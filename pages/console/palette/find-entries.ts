// What the command palette offers: screens by name, and records by name, id, API key, or request id.

import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import type { WordsOf } from "../../words/words.ts";
import { nameOf } from "../people/person-rules.ts";
import { askerOf, type QueuedRequest, titleOf } from "../requests/request-texts.tsx";
import { isReader } from "../roles.ts";

export interface PaletteEntry {
	readonly href: string;
	/** Text from users. */
	readonly name: string;
	readonly detail?: string | undefined;
	/** The screen that lists it; undefined for a screen. */
	readonly kind?: keyof WordsOf<"console">["screens"] | undefined;
}

export interface ScreenLink {
	readonly href: string;
	readonly label: string;
}

const FOUND_MAX = 4;
/** Of the service; an AuthZEN caller may choose others. */
const REQUEST_ID = /^[\w-]{8}-[\da-z]+$/;
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The screens whose name contains the text; all of them for an empty one. */
export function screenEntries(screens: readonly ScreenLink[], text: string): PaletteEntry[] {
	const wanted = text.trim().toLocaleLowerCase();
	return screens
		.filter(({ label }) => label.toLocaleLowerCase().includes(wanted))
		.map(({ href, label }) => ({ href, name: label }));
}

/** The first records of each kind that match. @throws ApiError */
export async function findRecords(q: string, signal: AbortSignal): Promise<readonly PaletteEntry[]> {
	const found = await Promise.all(ID.test(q) ? byId(q, signal) : byText(q, signal));
	return found.flat();
}

function byText(q: string, signal: AbortSignal): Promise<PaletteEntry[]>[] {
	const options = { query: { q, page_size: FOUND_MAX }, signal };
	const requests = call("GET /requests", options).then(({ data }) => data.map(requestEntry));
	if (!isReader()) return [requests];
	return [
		call("GET /users", options).then(({ data }) => data.map(personEntry)),
		call("GET /applications", options).then(({ data }) => data.map(applicationEntry)),
		call("GET /groups", options).then(({ data }) => data.map(groupEntry)),
		call("GET /api-clients", options).then(({ data }) => data.map(clientEntry)),
		requests,
		...(REQUEST_ID.test(q) ? [byRequestId(q, signal)] : []),
	];
}

async function byRequestId(id: string, signal: AbortSignal): Promise<PaletteEntry[]> {
	const { data } = await call("GET /refusals", { query: { request_id: id, page_size: 1 }, signal });
	const query = new URLSearchParams({ request_id: id });
	return data.map(({ code }) => ({
		href: `/console/refusals?${query}`,
		name: id,
		detail: code,
		kind: "refusals",
	}));
}

function byId(id: string, signal: AbortSignal): Promise<PaletteEntry[]>[] {
	const options = { path: { id }, signal };
	const request = ifFound(call("GET /requests/{id}", options), requestEntry);
	if (!isReader()) return [request];
	return [
		ifFound(call("GET /users/{id}", options), personEntry),
		ifFound(call("GET /applications/{id}", options), applicationEntry),
		ifFound(call("GET /groups/{id}", options), groupEntry),
		ifFound(call("GET /api-clients/{id}", options), clientEntry),
		request,
		Promise.resolve([{ href: `/console/audit?request_id=${id}`, name: id, kind: "audit" }]),
	];
}

async function ifFound<Data>(
	response: Promise<{ readonly data: Data }>,
	entryOf: (data: Data) => PaletteEntry,
): Promise<PaletteEntry[]> {
	try {
		return [entryOf((await response).data)];
	} catch (error) {
		if (error instanceof ApiError && error.status === 404) return [];
		throw error;
	}
}

interface Named {
	readonly id: string;
	readonly name: string;
}

function personEntry(user: Parameters<typeof nameOf>[0] & { id: string; email: string }): PaletteEntry {
	return { href: `/console/people/${user.id}`, name: nameOf(user), detail: user.email, kind: "people" };
}

function applicationEntry({ id, name }: Named): PaletteEntry {
	return { href: `/console/applications/${id}`, name, kind: "applications" };
}

function groupEntry({ id, name }: Named): PaletteEntry {
	return { href: `/console/groups/${id}`, name, kind: "groups" };
}

function clientEntry({ id, name, api_key }: Named & { readonly api_key: string }): PaletteEntry {
	return { href: `/console/clients/${id}`, name, detail: api_key, kind: "clients" };
}

function requestEntry(request: QueuedRequest): PaletteEntry {
	const detail = askerOf(request);
	return { href: `/console/requests/${request.id}`, name: titleOf(request), detail, kind: "requests" };
}
