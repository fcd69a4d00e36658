// The error that stops a start or a command on purpose.

/**
 * A problem that the operator must fix before the service can run: a setting, a file, a folder in use. `message` is one
 * line for the operator that names the item and what is allowed, never a secret. The command prints it without a stack
 * trace and exits with a non-zero status.
 */
export class StartError extends Error {
	override name = "StartError";
}

/** The code of a failed system call (`EACCES`, `ENOSPC`), for the end of a `StartError` message. */
export function systemCode(error: unknown): string {
	if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
	return "unknown error";
}
