// Translates SQLite's errors.

import { AppError } from "../../kernel/error.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";

const BUSY = 5;
/** Primary result codes after which the caller can retry: busy, locked, read-only, I/O, full, cannot open. */
const AWAY = new Set([BUSY, 6, 8, 10, 13, 14]);
/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const FLUSH_FAILURES = new Set([1034, 1290]);
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARYKEY = 1555;

/** SQLite's extended result code; the primary one is its low byte. */
function resultCode(error: unknown): number | undefined {
	return error instanceof Error && "errcode" in error ? Number(error.errcode) : undefined;
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
	return ((resultCode(error) ?? 0) & 0xff) === BUSY;
}

/** The operating system could not write a file or its name to the disk (`EIO`). */
export function isFlushFailure(error: unknown): error is Error {
	return FLUSH_FAILURES.has(resultCode(error) ?? 0);
}

/** Translates SQLite's errors and counts those that mean that the database is unavailable. */
export class Faults {
	count = 0;
	damaged = 0;

	translate(error: unknown): unknown {
		const code = resultCode(error);
		if (code === undefined || !(error instanceof Error)) return error;
		if (code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY)
			return new UniqueViolation(error.message, { cause: error });
		const isDamage = DAMAGED.has(code & 0xff);
		if (!isDamage && !AWAY.has(code & 0xff)) return error;
		this.damaged += Number(isDamage);
		this.count += 1;
		return databaseUnavailable(error);
	}
}

export function databaseUnavailable(cause: Error): AppError {
	return new AppError("service.unavailable", "the database is not available, try again shortly", {
		retryAfterSeconds: 1,
		cause,
	});
}
