// The error that deliberately stops a start or a command.

/**
 * The class of a `StartError`, from which the exit status of a command follows. `usage`: a wrong argument; `refused`:
 * the current state does not allow it; `away`: the database or another server does not respond; `failed`: everything
 * else.
 */
export type ProblemKind = "failed" | "usage" | "not_found" | "refused" | "damaged" | "away";

/**
 * A problem that the operator must fix before the service can run: a setting, a file, a directory in use. `message` is
 * one line for the operator that states the item and what is allowed, never a secret. The command prints it without a
 * stack trace and exits with a non-zero status.
 */
export class StartError extends Error {
	override name = "StartError";
	readonly kind: ProblemKind;
	/** An error code, such as `user.not_found`; default: the kind. */
	readonly code: string;

	constructor(
		message: string,
		options: ErrorOptions & { readonly kind?: ProblemKind; readonly code?: string } = {},
	) {
		const { kind = "failed", code = kind, ...others } = options;
		super(message, others);
		this.kind = kind;
		this.code = code;
	}
}

/** A wrong argument of a command. */
export function usageError(
	message: string,
	options: ErrorOptions & { readonly code?: string } = {},
): StartError {
	return new StartError(message, { ...options, kind: "usage" });
}

/** The code of a failed system call (`EACCES`, `ENOSPC`), for the end of a `StartError` message. */
export function systemCode(error: unknown): string {
	if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
	return "unknown error";
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/**
 * A StartError for a file or a folder that cannot be used: `<subject> (ENOENT)`, of kind `not_found` if it is missing.
 */
export function fileError(subject: string, cause: unknown): StartError {
	const code = systemCode(cause);
	return new StartError(`${subject} (${code})`, { cause, kind: code === "ENOENT" ? "not_found" : "failed" });
}

/** What follows the path of an unreadable file: `does not exist`, or `cannot be read (EACCES)`. */
export function readProblem(cause: unknown): string {
	const code = systemCode(cause);
	return code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
}
