// Seals and opens what audit events say about users. The hash chain covers the sealed text, so it stays intact when a
// user's key is deleted; the event then shows ids only.

import { type AuditEvent, userIdIn } from "../../domain/audit.ts";
import { type UserCipher, type UserCiphers, userKeyContext } from "../../domain/user-key.ts";
import { isMembers, parseJson } from "../../kernel/shape.ts";
import { paddedLists, places } from "../sql/parameter-lists.ts";
import type { Queries } from "../sql/queries.ts";
import { userKeys } from "../sql/tables/account-tables.ts";

export interface UserKeyOptions {
	readonly userCiphers: UserCiphers;
	/** Seals and opens with the master key. */
	readonly seal: (plain: string, context: string) => string;
	readonly open: (sealed: string, context: string) => string;
}

/** What an event says in words. */
export type AuditTexts = Pick<
	AuditEvent,
	"actor" | "target" | "actorName" | "targetName" | "details" | "changes"
>;
type OpenOptions = Pick<UserKeyOptions, "open" | "userCiphers">;
type Ciphers = ReadonlyMap<string, UserCipher>;

/** The details of an event about a user that describe the user; other details are ids, times, and codes. */
const PERSONAL_DETAILS = new Set(["username", "name", "display_name", "email", "note"]);
/** The detail that contains the personal ones, as sealed JSON. */
const SEALED = "sealed";
/** The maximum number of users with the same name, past names included. */
const NAMESAKES_MAX = 100;

const keys = userKeys.pick("id", "keySealed");

/** A user without a key was deleted, perhaps in this transaction: nothing about that user is written. */
export async function sealTexts<T extends AuditTexts>(
	queries: Queries,
	options: OpenOptions,
	events: readonly T[],
): Promise<T[]> {
	const ciphers = await ciphersOf(queries, options, events);
	return events.map((event) => sealed(event, ciphers));
}

function sealed<T extends AuditTexts>(event: T, ciphers: Ciphers): T {
	const { actor, target, actorName, targetName, details, changes } = event;
	const about = userIdIn(target);
	const seal = (userId: string, text: string): string =>
		text === "" ? "" : (ciphers.get(userId)?.seal(text) ?? "");
	return {
		...event,
		actorName: sealName(userIdIn(actor), actorName),
		targetName: sealName(about, targetName),
		...(about !== undefined && {
			details: sealDetails(details, (text) => seal(about, text)),
			changes: changes === "{}" ? changes : seal(about, changes) || "{}",
		}),
	};

	function sealName(userId: string | undefined, name: string): string {
		return userId === undefined ? name : seal(userId, name);
	}
}

export async function openTexts<T extends AuditTexts>(
	queries: Queries,
	options: OpenOptions,
	events: readonly T[],
): Promise<T[]> {
	const ciphers = await ciphersOf(queries, options, events);
	return events.map((event) => opened(event, ciphers));
}

function opened<T extends AuditTexts>(event: T, ciphers: Ciphers): T {
	const { actor, target, actorName, targetName, details, changes } = event;
	const about = userIdIn(target);
	const open = (userId: string, text: string): string | undefined => ciphers.get(userId)?.open(text);
	const openName = (userId: string | undefined, name: string): string =>
		userId === undefined ? name : (open(userId, name) ?? "");
	return {
		...event,
		actorName: openName(userIdIn(actor), actorName),
		targetName: openName(about, targetName),
		...(about !== undefined && {
			details: openDetails(details, (text) => open(about, text)),
			changes: open(about, changes) ?? "{}",
		}),
	};
}

/** Every user who has or had this name, as actors and targets, and the sealed forms of the name: to find events by it. */
export async function findNamesakes(
	queries: Queries,
	options: OpenOptions,
	tenantId: string,
	name: string,
): Promise<{ readonly refs: readonly string[]; readonly sealed: readonly string[] }> {
	const namesakes = await keys.all(
		queries,
		"id IN (SELECT user_id FROM user_names WHERE tenant_id = $1 AND name = $2 LIMIT $3)",
		tenantId,
		name,
		NAMESAKES_MAX,
	);
	return {
		refs: namesakes.map(({ id }) => `user:${id}`),
		sealed: namesakes.map(({ id, keySealed }) => cipherOf(options, id, keySealed).seal(name)),
	};
}

function cipherOf({ open, userCiphers }: OpenOptions, id: string, keySealed: string): UserCipher {
	return userCiphers.of(open(keySealed, userKeyContext(id)));
}

async function ciphersOf(
	queries: Queries,
	options: OpenOptions,
	events: readonly AuditTexts[],
): Promise<Ciphers> {
	const ids = new Set(events.flatMap(({ actor, target }) => [userIdIn(actor), userIdIn(target)]));
	ids.delete(undefined);
	const wanted = [...ids] as string[];
	const ciphers = new Map<string, UserCipher>();
	for (const some of paddedLists(wanted))
		for (const { id, keySealed } of await keys.all(queries, `id IN (${places(some, 1)})`, ...some))
			ciphers.set(id, cipherOf(options, id, keySealed));
	return ciphers;
}

function sealDetails(text: string, seal: (text: string) => string): string {
	const details = Object.entries(parseJson(isMembers, text));
	const personal = details.filter(([name]) => PERSONAL_DETAILS.has(name));
	if (personal.length === 0) return text;
	const sealed = seal(JSON.stringify(Object.fromEntries(personal)));
	const rest = details.filter(([name]) => !PERSONAL_DETAILS.has(name));
	return JSON.stringify({ ...Object.fromEntries(rest), ...(sealed !== "" && { [SEALED]: sealed }) });
}

function openDetails(text: string, open: (text: string) => string | undefined): string {
	if (!text.includes(`"${SEALED}"`)) return text;
	const { [SEALED]: sealed, ...rest } = parseJson(isMembers, text);
	const personal = typeof sealed === "string" ? open(sealed) : undefined;
	return JSON.stringify({ ...(personal !== undefined && parseJson(isMembers, personal)), ...rest });
}
