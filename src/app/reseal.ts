// Seals everything anew under the first master key, beside running nodes: row by row, only what nobody changed meanwhile.

import type { Engine } from "../adapters/sql/engine.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../adapters/sql/sealed-columns.ts";
import { createSealedTextStore, type SealedRow } from "../adapters/sql/sealed-text-store.ts";
import type { Stores } from "../adapters/sql/stores.ts";
import { type SecretBox, SecretBoxError } from "../crypto/secret-box.ts";
import { DEFAULT_TENANT_SLUG } from "../features/tenants/model.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface ResealDeps {
	readonly engine: Engine;
	readonly db: Persistence<Stores>;
	readonly secretBox: SecretBox;
}

/** One column and key: how many texts. */
export interface SealedCount {
	/** `table.column`. */
	readonly place: string;
	readonly keyId: string;
	readonly texts: number;
}

export interface Resealed {
	readonly keyId: string;
	readonly texts: number;
	/** Keys that nothing is sealed with any more. */
	readonly from: readonly string[];
}

/** Rows of one transaction: a node beside us waits no longer than that takes. */
const BATCH = 100;
/** Nodes write while we work; what they seal with an old key is found by the next round. */
const ROUNDS = 3;

/** What is sealed with which key, all columns. */
export async function countSealed({ engine }: Pick<ResealDeps, "engine">): Promise<SealedCount[]> {
	const counts: SealedCount[] = [];
	for (const column of SEALED_COLUMNS)
		for (const { keyId, texts } of await createSealedTextStore(engine.queries, column).countByKey())
			counts.push({ place: placeOf(column), keyId, texts });
	return counts;
}

/**
 * Cut short at any moment, what is done is done, and the next run goes on from there. One audit event at the end.
 *
 * @param onProgress texts sealed anew so far.
 * @throws StartError naming the key when one that is needed is not among those given (nothing was changed then), when a
 * text cannot be opened, and when a node still seals with another key.
 */
export async function reseal(
	{ engine, db, secretBox }: ResealDeps,
	onProgress: (texts: number) => void,
): Promise<Resealed> {
	const keyId = secretBox.keyId;
	const before = othersThan(keyId, await countSealed({ engine }));
	refuseMissingKeys(secretBox, before);
	let texts = 0;
	for (let round = 0; round < ROUNDS; round++) {
		for (const column of SEALED_COLUMNS)
			texts += await resealColumn({ engine, secretBox, keyId }, column, (done) => onProgress(texts + done));
		if (othersThan(keyId, await countSealed({ engine })).length === 0) break;
	}
	const from = [...new Set(before.map((count) => count.keyId))].sort();
	if (texts > 0) await record(db, { keyId, texts, from });
	refuseRest(keyId, await countSealed({ engine }));
	return { keyId, texts, from };
}

export function othersThan(keyId: string, counts: readonly SealedCount[]): SealedCount[] {
	return counts.filter((count) => count.keyId !== keyId);
}

/** @throws StartError naming the first place and key that these master keys cannot open. */
export function refuseMissingKeys({ keyIds }: SecretBox, counts: readonly SealedCount[]): void {
	const missing = counts.filter(({ keyId }) => !keyIds.includes(keyId));
	const [first] = missing;
	if (first === undefined) return;
	const ids = [...new Set(missing.map(({ keyId }) => keyId))].join(", ");
	throw new StartError(
		`master key ${ids} is missing: ${first.texts} texts in ${first.place} are sealed with ${first.keyId}, and the keys given are ${keyIds.join(", ")}; nothing was changed`,
	);
}

async function resealColumn(
	{ engine, secretBox, keyId }: Pick<ResealDeps, "engine" | "secretBox"> & { readonly keyId: string },
	column: SealedColumn,
	onProgress: (texts: number) => void,
): Promise<number> {
	const texts = createSealedTextStore(engine.queries, column);
	let done = 0;
	let afterId = "";
	for (;;) {
		const rows = await texts.listOthers(keyId, afterId, BATCH);
		const last = rows.at(-1);
		if (last === undefined) return done;
		const sealedAnew = rows.map((row) => ({ row, sealed: sealAnew(secretBox, column, row) }));
		done += await engine.transaction(async (queries) => {
			const store = createSealedTextStore(queries, column);
			let replaced = 0;
			for (const { row, sealed } of sealedAnew) if (await store.replace(row, sealed)) replaced++;
			return replaced;
		});
		afterId = last.id;
		onProgress(done);
	}
}

function sealAnew(secretBox: SecretBox, column: SealedColumn, { id, sealed }: SealedRow): string {
	const context = column.contextOf(id);
	try {
		return secretBox.seal(secretBox.open(sealed, context), context);
	} catch (cause) {
		if (!(cause instanceof SecretBoxError)) throw cause;
		throw new StartError(`${placeOf(column)} of ${id} cannot be sealed anew: ${cause.message}`, { cause });
	}
}

function refuseRest(keyId: string, counts: readonly SealedCount[]): void {
	const [rest] = othersThan(keyId, counts);
	if (rest === undefined) return;
	throw new StartError(
		`${rest.texts} texts in ${rest.place} are sealed with master key ${rest.keyId} again: a node has it first in its list; put ${keyId} first everywhere and run this once more`,
	);
}

async function record(db: Persistence<Stores>, { keyId, texts, from }: Resealed): Promise<void> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) return;
	await db.transaction(({ audit }) =>
		audit.append({
			tenantId: tenant.id,
			actor: "system",
			action: "secrets.resealed",
			target: `master_key:${keyId}`,
			origin: SYSTEM_ORIGIN,
			details: { texts, from },
		}),
	);
}

function placeOf({ table, column }: SealedColumn): string {
	return `${table}.${column}`;
}
