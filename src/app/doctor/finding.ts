// What the doctor says about one thing.

import { StartError } from "../../kernel/start-error.ts";

/** `warn`: works, but look at it. `fail`: the service cannot do its job like this. */
export type Level = "ok" | "warn" | "fail";

export interface Finding {
	readonly level: Level;
	/** A word or two: what was looked at. */
	readonly about: string;
	/** One line: what was found and, unless it is `ok`, what to do. */
	readonly text: string;
}

export function ok(about: string, text: string): Finding {
	return { level: "ok", about, text };
}

export function warn(about: string, text: string): Finding {
	return { level: "warn", about, text };
}

export function fail(about: string, text: string): Finding {
	return { level: "fail", about, text };
}

/** The findings of `look`, or the one line with which the service itself would refuse to start. */
export async function failing(about: string, look: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
	try {
		return await look();
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		return [fail(about, error.message)];
	}
}
