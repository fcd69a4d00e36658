// The error that stops a start (or a command) on purpose.

/**
 * Something the operator has to put right before the service can run: a setting, a file, a folder in use.
 * `message` is one clear line written for that person, with the name of the thing and what is allowed, and
 * never a secret; whoever starts prints it as it is, without a stack trace, and exits with a status above 0.
 */
export class StartError extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "StartError";
	}
}

/** The short reason in a failed system call (`EACCES`, `ENOSPC`), for the end of a `StartError` line. */
export function systemCode(error: unknown): string {
	if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
	return "unknown error";
}
