// The result of one check of the doctor.

import { StartError } from "../../kernel/start-error.ts";

/** `warn`: works, but needs attention. `fail`: the service cannot run. */
type Level = "ok" | "warn" | "fail";

export interface Finding {
	readonly level: Level;
	/** The subject of the check, one or two words. */
	readonly about: string;
	/** One line: the result and, unless it is `ok`, what to do. */
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

/** The findings of `check`, or a failure with the error message with which the service would refuse to start. */
export async function failing(
	about: string,
	check: () => Finding | Finding[] | Promise<Finding | Finding[]>,
): Promise<Finding[]> {
	try {
		return [await check()].flat();
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		return [fail(about, error.message)];
	}
}
