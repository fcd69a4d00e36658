// The parts that commands of daily work share: what use cases need, and the operator as their caller.

import { openDerivation } from "../../app/stored-keys.ts";
import type { Administrator } from "../../domain/caller.ts";
import type { StoreName } from "../../domain/stores.ts";
import { createAuthKeys } from "../../features/identity/auth/auth-keys.ts";
import type { Needs } from "../../features/platform.ts";
import { PAGE_SIZE_MAX, type Page, type PageQuery } from "../../kernel/page.ts";
import { StartError } from "../../kernel/start-error.ts";
import { operatorCaller } from "../cli-caller.ts";
import { getTenantId } from "../tenant-by-slug.ts";

export type Operation = Needs<
	StoreName,
	"clock" | "secretBox" | "passwords" | "keys" | "publicUrl" | "wakeMail"
> & { readonly caller: Administrator };

/** @throws StartError (`not_found`) for an unknown tenant. */
export async function openOperation(
	installation: Omit<Operation, "caller" | "keys" | "wakeMail">,
	tenantSlug: string,
): Promise<Operation> {
	const { db, clock, secretBox, passwords, publicUrl } = installation;
	const caller = operatorCaller(await getTenantId(db, tenantSlug));
	const keys = createAuthKeys(await openDerivation(installation));
	// The delivery job of the running service looks for due mails every few seconds.
	return { db, clock, secretBox, passwords, publicUrl, keys, wakeMail: () => undefined, caller };
}

/** The first rows of a list, at most `limit`. */
export async function takeFirst<T>(
	list: (page: PageQuery) => Promise<Page<T>>,
	limit: number,
): Promise<Page<T>> {
	const items: T[] = [];
	for (let page = 1; ; page++) {
		const { items: rows, ...total } = await list({ page, pageSize: PAGE_SIZE_MAX });
		items.push(...rows.slice(0, limit - items.length));
		if (items.length >= limit || rows.length < PAGE_SIZE_MAX) return { items, ...total };
	}
}

interface Search<T> {
	/** The kind of the rows, for errors. */
	readonly kind: string;
	readonly name: string;
	readonly preferred?: (row: T) => boolean;
}

/** If a search by part of a name finds more rows than this, the name is too short. */
const MATCHES_MAX = 1_000;

/**
 * The single row that `name` identifies. `matches` compares exactly: part of a name must not select a row to change.
 * If several rows match, the only `preferred` one is returned.
 *
 * @throws StartError `not_found`; `refused` when several rows have the name, with one line for each.
 */
export async function findNamed<T>(
	{ kind, name, preferred = () => false }: Search<T>,
	list: (page: PageQuery) => Promise<Page<T>>,
	matches: (row: T) => boolean,
	describe: (row: T) => string,
): Promise<T> {
	const { items } = await takeFirst(list, MATCHES_MAX);
	const all = items.filter(matches);
	const best = all.filter(preferred);
	const named = best.length > 0 ? best : all;
	const [row, ...others] = named;
	if (row === undefined)
		throw new StartError(`there is no ${kind} ${JSON.stringify(name)}`, { kind: "not_found" });
	if (others.length === 0) return row;
	throw new StartError(
		`${JSON.stringify(name)} matches ${named.length} ${kind}s; use an id: ${named.map(describe).join("; ")}`,
		{ kind: "refused" },
	);
}

/** Compares names case-insensitively. */
export function isSameName(a: string, b: string): boolean {
	return a.toLowerCase() === b.toLowerCase();
}
