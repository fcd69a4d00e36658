// Translates PostgreSQL's errors.

import { DatabaseError } from "pg";
import { AppError } from "../../kernel/error.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";

const UNIQUE_VIOLATION = "23505";
/**
 * A retry may succeed after these: serialization failure, deadlock, and a foreign key to a row that was deleted since it
 * was read (the retry does not find it).
 */
const PASSING = new Set(["40001", "40P01", "23503"]);
/** A prepared statement is missing or exists already: a pooler swaps connections. */
const STATEMENT_SWAPPED = new Set(["26000", "42P05"]);
const FUNCTION_MISSING = "42883";
const STATEMENT_CANCELED = "57014";
/** A standby, or a demoted primary. */
const READ_ONLY = "25006";
/**
 * SQLSTATE classes and codes after which the caller can retry later: connection, credentials and unknown database (as a
 * pooler reports them), resources, operator intervention (shutdown, timeout), system, serialization, lock, idle in
 * transaction, standby.
 */
const AWAY = ["08", "28", "3D", "53", "57", "58", "40", "55P03", "25P03", READ_ONLY, ...STATEMENT_SWAPPED];

/** The connection, not the statement, has failed and cannot be used any more. */
export class ConnectionLost extends Error {
	override readonly name: string = "ConnectionLost";
}

/** The server is a standby. */
export class ServerReadOnly extends ConnectionLost {}

/**
 * The server refuses the connection. Its SQLSTATE is not examined: 55000 here means that the database accepts no
 * connections and 42501 that the role may not connect, while for a statement both would be a bug.
 */
export class ConnectionRefused extends Error {
	override readonly name = "ConnectionRefused";
}

/** Translates a failed connection attempt: ConnectionRefused if the server responded, otherwise ConnectionLost. */
export function connectionError(error: unknown): unknown {
	if (!(error instanceof DatabaseError)) return statementError(error);
	return new ConnectionRefused(error.message, { cause: error });
}

/** Translates the error of a statement; stores handle only UniqueViolation. */
export function statementError(error: unknown): unknown {
	if (error instanceof DatabaseError) {
		if (error.code !== UNIQUE_VIOLATION) return error;
		return new UniqueViolation(error.constraint ?? error.message, { cause: error });
	}
	// Errors of the driver itself concern the connection.
	if (!(error instanceof Error) || error instanceof ConnectionLost) return error;
	return new ConnectionLost(error.message, { cause: error });
}

export function isPassing(error: unknown): boolean {
	return PASSING.has(codeOf(error)) || isStatementSwapped(error);
}

export function isStatementSwapped(error: unknown): boolean {
	return STATEMENT_SWAPPED.has(codeOf(error));
}

/** A function that keeps a plan was dropped, with a schema that another one replaced. */
export function isFunctionMissing(error: unknown): boolean {
	return codeOf(error) === FUNCTION_MISSING;
}

/** The server has ended the connection, or no longer accepts writes on it. */
export function endsConnection(error: unknown): boolean {
	if (error instanceof ConnectionLost) return true;
	if (!(error instanceof DatabaseError)) return false;
	return error.severity === "FATAL" || error.severity === "PANIC" || codeOf(error) === READ_ONLY;
}

/** Whether the database is unavailable or overloaded, so that the same statement may succeed later. */
export function isAway(error: unknown): boolean {
	return (
		endsConnection(error) ||
		error instanceof ConnectionRefused ||
		AWAY.some((code) => codeOf(error).startsWith(code))
	);
}

/** AppError `service.unavailable` when the database is unavailable or overloaded; any other error unchanged. */
export function unavailable(error: unknown): unknown {
	if (!isAway(error)) return error;
	return new AppError("service.unavailable", "the database is not available, try again shortly", {
		retryAfterSeconds: 1,
		cause: error,
	});
}

/** AppError `query.too_slow` when the server canceled a statement after its time limit; any other error unchanged. */
export function tooSlow(error: unknown): unknown {
	if (codeOf(error) !== STATEMENT_CANCELED) return error;
	return new AppError(
		"query.too_slow",
		"the query took too long: use a narrower filter or a shorter period",
		{
			retryAfterSeconds: 1,
			cause: error,
		},
	);
}

function codeOf(error: unknown): string {
	return error instanceof DatabaseError ? (error.code ?? "") : "";
}
