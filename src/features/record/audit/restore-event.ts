// Restores what an audit event changed, by the row of the map that makes this change alone.

import { sha256Base64url } from "../../../crypto/digest.ts";
import type { AuditDetails, AuditLog } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { Stores } from "../../../domain/stores.ts";
import { TransactionDb } from "../../../domain/transaction-db.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { Semaphore } from "../../../kernel/semaphore.ts";
import type { Platform } from "../../platform.ts";
import { isRecorded, type Restorable, type RestoringRows, restorableOf, type Values } from "./restorable.ts";

export interface RestoreNeeds {
	readonly platform: Platform;
	readonly caller: Administrator;
	rowsOver(platform: Platform): RestoringRows;
}

export interface RestoreWish {
	readonly eventId: string;
	readonly note: string;
	readonly isDryRun: boolean;
	/** The digest of a preview. */
	readonly expected: string | undefined;
}

export interface Restored {
	/** Of the new event; null if nothing changed. */
	readonly eventId: string | null;
	/** Values now, and the restored ones. */
	readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
	/** Of these, the fields that changed again after the event. */
	readonly changedSince: readonly string[];
	/** Of the values now. */
	readonly digest: string;
	/** Of an OAuth client, if the change made one. */
	readonly secretPlain?: string | undefined;
}

/** Each holds a transaction while it reads beside it; more could take all connections of a pool. */
const turns = new Semaphore(1);
const WAITING_MAX = 20;
const ATTEMPTS_MAX = 5;

/** Ends a transaction whose record another one changed after it was read. */
class Overtaken extends Error {}
/** Ends the transaction of a preview. */
class RolledBack extends Error {}

/**
 * @throws AppError of the row, `audit_event.not_found`, `audit_event.not_restorable`, `audit_event.not_recorded`,
 * `audit_event.changed_since`, `service.overloaded`.
 */
export async function restoreEvent(needs: RestoreNeeds, wish: RestoreWish): Promise<Restored> {
	const { platform, caller } = needs;
	const query = { tenantId: caller.tenantId, id: wish.eventId };
	const { items } = await platform.db.stores.audit.list(query, { page: 1, pageSize: 1 });
	const restorable = restorableOf(
		found(items[0], () => new AppError("audit_event.not_found", "there is no such audit event")),
	);
	await needs.rowsOver(platform).admit(restorable.row);
	if (turns.waiting >= WAITING_MAX)
		throw new AppError("service.overloaded", "too many restorations at the moment, try again shortly");
	const release = await turns.acquire();
	try {
		for (let attempts = 1; ; attempts++)
			try {
				return await restore(needs, restorable, wish);
			} catch (error) {
				if (!(error instanceof Overtaken)) throw error;
				if (attempts === ATTEMPTS_MAX) throw changedSince([]);
			}
	} finally {
		release();
	}
}

async function restore(
	{ platform, rowsOver }: RestoreNeeds,
	restorable: Restorable,
	{ eventId, note, isDryRun, expected }: RestoreWish,
): Promise<Restored> {
	const db = new TransactionDb();
	let isMailWaiting = false;
	const wakeMail = () => {
		isMailWaiting = true;
	};
	const rows = rowsOver({ ...platform, db, wakeMail });
	const committed = rowsOver(platform);
	const link = { restores: eventId, ...(note !== "" && { note }) };
	let result: Restored | undefined;
	const change = async (written: readonly string[]): Promise<Restored> => {
		const now = await restorable.read(db.stores, rows);
		const compared = compare(restorable, now);
		result = { ...compared, eventId: null };
		if (Object.keys(compared.changes).length === 0) return result;
		const isExpected =
			expected === undefined ? compared.changedSince.length === 0 : expected === compared.digest;
		if (!isExpected && !isDryRun) throw changedSince(compared.changedSince);
		const { client_secret } = await rows.change(restorable.row, restorable.ids, restorable.bodyOf(now));
		// PostgreSQL shows what was committed between the reading and the change, which now holds the lock of the record.
		const unchanged = await restorable.read(platform.db.stores, committed);
		if (JSON.stringify(unchanged) !== JSON.stringify(now)) throw new Overtaken();
		if (isDryRun) throw new RolledBack();
		const secretPlain = typeof client_secret === "string" ? client_secret : undefined;
		return { ...result, eventId: written.at(-1) ?? null, secretPlain };
	};
	try {
		const restored = await platform.db.transaction((stores) => {
			const written: string[] = [];
			return db.within({ ...stores, audit: linked(stores.audit, link, written) }, () => change(written));
		});
		if (isMailWaiting) platform.wakeMail();
		return restored;
	} catch (error) {
		if (error instanceof RolledBack && result !== undefined) return result;
		throw error;
	}
}

/** An audit trail whose new events have further details. Their ids are appended to `written`. */
function linked(audit: Stores["audit"], link: AuditDetails, written: string[]): Stores["audit"] {
	const appendReturningId: AuditLog["appendReturningId"] = async (
		caller,
		action,
		target,
		details,
		changes,
	) => {
		const id = await audit.appendReturningId(caller, action, target, { ...details, ...link }, changes);
		written.push(id);
		return id;
	};
	return {
		...audit,
		appendReturningId,
		append: async (...entry) => void (await appendReturningId(...entry)),
	};
}

function compare({ before, after }: Restorable, now: Values | null): Omit<Restored, "eventId"> {
	const fields = Object.keys(before ?? after ?? {});
	const fieldOf = (values: Values | null, field: string): unknown => values?.[field] ?? null;
	const differing = fields.filter((field) =>
		before === null || now === null
			? before !== now
			: JSON.stringify(fieldOf(now, field)) !== JSON.stringify(fieldOf(before, field)),
	);
	return {
		changes: Object.fromEntries(
			differing.map((field) => [field, { from: fieldOf(now, field), to: fieldOf(before, field) }]),
		),
		changedSince: differing.filter((field) => !isRecorded(fieldOf(now, field), fieldOf(after, field))),
		digest: sha256Base64url(JSON.stringify(now)),
	};
}

function changedSince(fields: readonly string[]): AppError {
	return new AppError(
		"audit_event.changed_since",
		`the record changed after the event or its preview; preview what would be restored, and confirm it with expect`,
		{ fields: fields.map((field) => ({ field, ...problem("changed_again") })) },
	);
}
