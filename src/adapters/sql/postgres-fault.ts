// PostgreSQL's errors in our terms.

import { DatabaseError } from "pg";
import { AppError } from "../../kernel/error.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";

const UNIQUE_VIOLATION = "23505";
/**
 * After these the same work may go through when it is begun anew: serialization failure, deadlock, and a row that was
 * deleted between our reading it and our referring to it, which the next reading does not find any more.
 */
const PASSING = new Set(["40001", "40P01", "23503"]);
/** A prepared statement is missing or there already: something between us and the server swaps connections. */
const STATEMENT_SWAPPED = new Set(["26000", "42P05"]);
/** A standby, or a primary that has become one. */
const READ_ONLY = "25006";
/**
 * Classes and codes after which the caller may simply try again later: connection, credentials, no such database,
 * resources, operator (shutdown, timeout), system, lost race, lock, idle in transaction, standby.
 */
const AWAY = ["08", "28", "3D", "53", "57", "58", "40", "55P03", "25P03", READ_ONLY, ...STATEMENT_SWAPPED];

/** The connection, not the statement, has failed: nothing more can be asked on it. */
export class ConnectionLost extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "ConnectionLost";
	}
}

/** What a failed statement becomes before a store sees it; only a unique violation is a store's business. */
export function statementError(error: unknown): unknown {
	if (error instanceof DatabaseError) {
		if (error.code !== UNIQUE_VIOLATION) return error;
		return new UniqueViolation(error.constraint ?? error.message, { cause: error });
	}
	// Whatever the driver says in words of its own is about the connection.
	if (!(error instanceof Error) || error instanceof ConnectionLost) return error;
	return new ConnectionLost(error.message, { cause: error });
}

export function isPassing(error: unknown): boolean {
	return PASSING.has(codeOf(error)) || isStatementSwapped(error);
}

export function isStatementSwapped(error: unknown): boolean {
	return STATEMENT_SWAPPED.has(codeOf(error));
}

/** The server has ended the connection, or it is one that takes no writes any more. */
export function endsConnection(error: unknown): boolean {
	if (error instanceof ConnectionLost) return true;
	if (!(error instanceof DatabaseError)) return false;
	return error.severity === "FATAL" || error.severity === "PANIC" || codeOf(error) === READ_ONLY;
}

/** The database is away or cannot do it now: AppError `service.unavailable`. Any other error stays as it is. */
export function unavailable(error: unknown): unknown {
	const isAway = error instanceof ConnectionLost || AWAY.some((code) => codeOf(error).startsWith(code));
	if (!isAway) return error;
	return new AppError("service.unavailable", "the database is not available, try again shortly", {
		retryAfterSeconds: 1,
		cause: error,
	});
}

function codeOf(error: unknown): string {
	return error instanceof DatabaseError ? (error.code ?? "") : "";
}
