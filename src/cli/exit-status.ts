// The exit statuses of the command line. `docs/commands.md` explains them; a test compares the two.

import { AppError, type ErrorKind } from "../kernel/error.ts";
import { type ProblemKind, StartError } from "../kernel/start-error.ts";
import { host } from "./host.ts";

export const EXIT_STATUS = {
	done: 0,
	failed: 1,
	usage: 2,
	not_found: 3,
	refused: 4,
	damaged: 5,
	away: 6,
	fault: 70,
} as const satisfies Readonly<Record<ProblemKind | "done" | "fault", number>>;

const OF_APP_ERROR: Readonly<Partial<Record<ErrorKind, ProblemKind>>> = {
	invalid: "usage",
	too_large: "usage",
	unsupported_media: "usage",
	not_found: "not_found",
	conflict: "refused",
	forbidden: "refused",
	unavailable: "away",
};

/** `fault` for an error that no command throws deliberately. */
export function problemOf(error: unknown): ProblemKind | "fault" {
	if (error instanceof StartError) return error.kind;
	if (error instanceof AppError) return OF_APP_ERROR[error.kind] ?? "failed";
	return "fault";
}

/** Sets the exit status of the command. An error overrides it. */
export function setExitStatus(name: keyof typeof EXIT_STATUS): void {
	host().exitCode = EXIT_STATUS[name];
}
