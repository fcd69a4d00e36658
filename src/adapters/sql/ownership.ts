// How a process knows that an embedded database is the one it held last, and still holds it.

import type { Clock } from "../../kernel/clock.ts";

/** The database lacks commits: it, or its log, is older than what a service has committed. */
export interface DatabaseLoss {
	/** The time of the last commit that is known. */
	readonly lastAtMs: number;
}

export interface Ownership {
	/** The time of the last commit before `take`; 0 without one. */
	readonly lastCommitAtMs: number;
	/** Compares the database with the mark beside it. Call it before `take`. */
	findLoss(): DatabaseLoss | undefined;
	/**
	 * Makes a service the owner, under a new id: from now on, a write of the owner before fails. `onLost` is called once when another
	 * process becomes the owner, or `check` finds another file in place of one that is open; every later write fails in the first case.
	 */
	take(owner: string, clock: Clock, onLost: (reason: string) => void): Promise<void>;
	/** Counts the commits of a command, beside a service or not. */
	follow(clock: Clock): void;
	/** For the owner, every few seconds. */
	check(): void;
}
