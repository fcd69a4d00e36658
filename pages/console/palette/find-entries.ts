// What the command palette finds: screens, and records by name, id, API key, email address, or request id.

import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import type { WordsOf } from "../../words/words.ts";
import { nameOf } from "../people/person-rules.ts";
import { askerOf, type QueuedRequest, titleOf } from "../requests/request-texts.tsx";
import { isAdmin, isReader, mayOpen, PLATFORM_ADMIN } from "../roles.ts";
import { rankOf } from "./rank.ts";

export type Words = WordsOf<"console-palette">;
type ScreenWords = WordsOf<"console">["screens"];

export interface PaletteEntry {
	/** Text from users. */
	readonly name: string;
	readonly detail?: string | undefined;
	/** A screen that lists records, or another kind of entry. */
	readonly kind: keyof ScreenWords | keyof Words["kinds"];
	/** The path of a screen, or what to do; with a record, whose name is asked first. */
	readonly target: string | (() => void) | { readonly act: Act };
}

/** What is done with a record that is found by its name. */
export type Act = keyof Words["acts"];

export interface ScreenLink {
	readonly href: string;
	readonly label: string;
}

/** The best of each kind that are shown. */
const SHOWN_MAX = 5;
/** The service returns the newest first, so that the best match may not be among the first. */
export const FOUND_MAX = 50;
/** Of the service; an AuthZEN caller may choose others. */
export const REQUEST_ID = /^[\w-]{8}-[\da-z]+$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isId(text: string): boolean {
	return ID.test(text.trim());
}

export function screenEntries(screens: readonly ScreenLink[]): PaletteEntry[] {
	return screens.map(({ href, label }) => ({ name: label, kind: "screen", target: href }));
}

export interface FoundRecords {
	readonly entries: readonly PaletteEntry[];
	/** Of a kind that could not be searched; the others are found nevertheless. */
	readonly error: ApiError | undefined;
}

export function findRecords(q: string, signal: AbortSignal): Promise<FoundRecords> {
	return bestOf(q, isId(q) ? byId(q, signal) : byText(q, signal));
}

/** The best entries of each kind. */
export async function bestOf(q: string, kinds: readonly Promise<PaletteEntry[]>[]): Promise<FoundRecords> {
	const found = await Promise.allSettled(kinds);
	const failed = found.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
	if (failed !== undefined && !(failed.reason instanceof ApiError)) throw failed.reason;
	const entries = found.flatMap((kind) => {
		if (kind.status === "rejected") return [];
		return kind.value
			.toSorted((one, other) => rankOf(one.name, q) - rankOf(other.name, q))
			.slice(0, SHOWN_MAX);
	});
	return { entries, error: failed?.reason };
}

function byText(q: string, signal: AbortSignal): Promise<PaletteEntry[]>[] {
	const options = { query: { q, page_size: FOUND_MAX }, signal };
	const requests = call("GET /requests", options).then(({ data }) => data.map(requestEntry));
	if (!isReader()) return [requests];
	const matching = async (kind: Promise<readonly PaletteEntry[]>): Promise<PaletteEntry[]> =>
		(await kind).filter(({ name, detail = "" }) => Math.min(rankOf(name, q), rankOf(detail, q)) < 4);
	return [
		call("GET /users", options).then(({ data }) => data.map(personEntry)),
		call("GET /applications", options).then(({ data }) => data.map(applicationEntry)),
		call("GET /groups", options).then(({ data }) => data.map(groupEntry)),
		call("GET /api-clients", options).then(({ data }) => data.map(clientEntry)),
		requests,
		...shortLists().map(matching),
		...(mayOpen(PLATFORM_ADMIN)
			? [call("GET /tenants", options).then(({ data }) => data.map(tenantEntry))]
			: []),
		...(EMAIL.test(q) && isAdmin()
			? [call("GET /mails", mailsTo(q, signal)).then(({ data }) => data.map(mailEntry))]
			: []),
		...(REQUEST_ID.test(q) ? [byRequestId(q, signal)] : []),
	];
}

/** Lists that the service does not search, read once for each time that the palette opens. */
let kept: Promise<readonly PaletteEntry[]>[] | undefined;

export function forgetShortLists(): void {
	kept = undefined;
}

function shortLists(): Promise<readonly PaletteEntry[]>[] {
	const query = { page_size: 100 };
	kept ??= [
		call("GET /webhooks", { query }).then(({ data }) => data.map(webhookEntry)),
		call("GET /programs", { query }).then(({ data }) => data.map(programEntry)),
		call("GET /identity-providers", { query }).then(({ data }) => data.map(providerEntry)),
		...(isAdmin() ? [call("GET /admin-keys", { query }).then(({ data }) => data.map(keyEntry))] : []),
	];
	return kept;
}

async function byRequestId(id: string, signal: AbortSignal): Promise<PaletteEntry[]> {
	const { data } = await call("GET /refusals", { query: { request_id: id, page_size: 1 }, signal });
	const query = new URLSearchParams({ request_id: id });
	return data.map(({ code }) => ({
		name: id,
		detail: code,
		kind: "refusals",
		target: `/console/refusals?${query}`,
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
		ifFound(call("GET /webhooks/{id}", options), webhookEntry),
		ifFound(call("GET /identity-providers/{id}", options), providerEntry),
		request,
		Promise.resolve([{ name: id, kind: "audit", target: `/console/audit?request_id=${id}` }]),
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

export function personEntry(
	user: Parameters<typeof nameOf>[0] & { id: string; email: string },
): PaletteEntry {
	return { name: nameOf(user), detail: user.email, kind: "people", target: `/console/people/${user.id}` };
}

export function applicationEntry({ id, name }: Named): PaletteEntry {
	return { name, kind: "applications", target: `/console/applications/${id}` };
}

function groupEntry({ id, name }: Named): PaletteEntry {
	return { name, kind: "groups", target: `/console/groups/${id}` };
}

export function clientEntry({ id, name, api_key }: Named & { readonly api_key: string }): PaletteEntry {
	return { name, detail: api_key, kind: "clients", target: `/console/clients/${id}` };
}

function requestEntry(request: QueuedRequest): PaletteEntry {
	const detail = askerOf(request);
	return { name: titleOf(request), detail, kind: "requests", target: `/console/requests/${request.id}` };
}

function webhookEntry({
	id,
	url,
	description,
}: {
	id: string;
	url: string;
	description: string;
}): PaletteEntry {
	return { name: url, detail: description, kind: "webhooks", target: `/console/webhooks/${id}` };
}

function programEntry(program: { application_id: string; name: string; client_id: string }): PaletteEntry {
	const { application_id: id, name, client_id: detail } = program;
	return { name, detail, kind: "programs", target: `/console/programs/${id}` };
}

function providerEntry(provider: { id: string; display_name: string; provider: string }): PaletteEntry {
	const { id, display_name: name, provider: detail } = provider;
	return { name, detail, kind: "providers", target: `/console/providers/${id}` };
}

/** The service finds mails by their whole address. */
function mailsTo(to: string, signal: AbortSignal) {
	return { query: { to, page_size: SHOWN_MAX }, signal };
}

function mailEntry({ subject, to }: { readonly subject: string; readonly to: string }): PaletteEntry {
	return { name: subject, detail: to, kind: "mail", target: `/console/mail?${new URLSearchParams({ to })}` };
}

function keyEntry({ name }: Named): PaletteEntry {
	return { name, kind: "keys", target: "/console/keys" };
}

function tenantEntry({ name, slug }: { name: string; slug: string }): PaletteEntry {
	return {
		name,
		detail: slug,
		kind: "tenants",
		target: `/console/tenants?${new URLSearchParams({ q: slug })}`,
	};
}
