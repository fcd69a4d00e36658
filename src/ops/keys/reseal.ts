// Re-encrypts every secret with the first master key, while nodes run. Skips rows that change in the meantime.

import type { Engine } from "../../adapters/sql/engine.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../../adapters/sql/sealed-columns.ts";
import { createSealedTextStore, type SealedRow } from "../../adapters/stores/sealed-text-store.ts";
import { type SecretBox, SecretBoxError } from "../../crypto/secret-box.ts";
import { named } from "../../domain/audit.ts";
import { DEFAULT_TENANT_SLUG } from "../../domain/tenant.ts";
import type { Needs } from "../../features/platform.ts";
import { StartError } from "../../kernel/start-error.ts";
import { cliCaller } from "../cli-caller.ts";

type Needed = Needs<"tenants" | "audit", "secretBox"> & { readonly engine: Engine };

/** The number of texts of one column that are encrypted with one key. */
interface SealedCount {
	/** `table.column`. */
	readonly place: string;
	readonly keyId: string;
	readonly texts: number;
}

export interface Resealed {
	readonly keyId: string;
	readonly texts: number;
	/** Keys that no longer encrypt anything. */
	readonly from: readonly string[];
}

/** Rows per transaction: few, so that running nodes wait only briefly. */
const BATCH = 100;
/** Running nodes may still encrypt with an old key; the next round finds those texts. */
const ROUNDS = 3;

/** Counts the encrypted texts of all columns by key. */
export async function countSealed({ engine }: Pick<Needed, "engine">): Promise<SealedCount[]> {
	const counts: SealedCount[] = [];
	for (const column of SEALED_COLUMNS)
		for (const { keyId, texts } of await createSealedTextStore(engine.queries, column).countByKey())
			counts.push({ place: placeOf(column), keyId, texts });
	return counts;
}

/**
 * May be interrupted at any moment: the next run continues. Appends one audit event at the end.
 *
 * @param onProgress called with the texts re-sealed so far.
 * @throws StartError when a needed key is missing (nothing is changed then), when a text cannot be opened, and when a
 * node still seals with another key.
 */
export async function reseal(
	{ engine, db, secretBox }: Needed,
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
	if (texts > 0) await recordReseal(db, { keyId, texts, from });
	refuseOtherKeys(keyId, await countSealed({ engine }));
	return { keyId, texts, from };
}

function othersThan(keyId: string, counts: readonly SealedCount[]): SealedCount[] {
	return counts.filter((count) => count.keyId !== keyId);
}

/** @throws StartError with the first column and key that these master keys cannot decrypt. */
export function refuseMissingKeys({ keyIds }: SecretBox, counts: readonly SealedCount[]): void {
	const missing = counts.filter(({ keyId }) => !keyIds.includes(keyId));
	const [first] = missing;
	if (first === undefined) return;
	const ids = [...new Set(missing.map(({ keyId }) => keyId))].join(", ");
	throw new StartError(
		`master key ${ids} is missing: ${first.texts} texts in ${first.place} are encrypted with ${first.keyId}, and the configured keys are ${keyIds.join(", ")}; nothing was changed`,
	);
}

async function resealColumn(
	{ engine, secretBox, keyId }: Pick<Needed, "engine" | "secretBox"> & { readonly keyId: string },
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
		const resealed = rows.map((row) => ({ row, sealed: resealText(secretBox, column, row) }));
		done += await engine.transaction(async (queries) => {
			const store = createSealedTextStore(queries, column);
			let replaced = 0;
			for (const { row, sealed } of resealed) if (await store.replace(row, sealed)) replaced++;
			return replaced;
		});
		afterId = last.id;
		onProgress(done);
	}
}

function resealText(secretBox: SecretBox, column: SealedColumn, { id, sealed }: SealedRow): string {
	const context = column.contextOf(id);
	try {
		return secretBox.seal(secretBox.open(sealed, context), context);
	} catch (cause) {
		if (!(cause instanceof SecretBoxError)) throw cause;
		throw new StartError(`${placeOf(column)} of ${id} cannot be re-encrypted: ${cause.message}`, { cause });
	}
}

function refuseOtherKeys(keyId: string, counts: readonly SealedCount[]): void {
	const [other] = othersThan(keyId, counts);
	if (other === undefined) return;
	throw new StartError(
		`${other.texts} texts in ${other.place} are encrypted with master key ${other.keyId} again: a node has it first in its list; put ${keyId} first everywhere and run this command again`,
	);
}

async function recordReseal(db: Needed["db"], { keyId, texts, from }: Resealed): Promise<void> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) return;
	await db.transaction(({ audit }) =>
		audit.append(cliCaller(tenant.id), "secrets.resealed", named("master_key", keyId, ""), { texts, from }),
	);
}

function placeOf({ table, column }: SealedColumn): string {
	return `${table}.${column}`;
}
