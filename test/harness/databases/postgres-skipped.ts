// Whether tests of PostgreSQL itself can run.

import { findPostgres } from "./test-engine.ts";

/** `false`, or the reason to skip them. With `CI` set, a missing server is a failure. */
export const POSTGRES_SKIPPED: false | string = await whySkipped();

async function whySkipped(): Promise<false | string> {
	if (process.env.CI !== undefined) return false;
	const missing = await findPostgres();
	return missing === undefined ? false : `no PostgreSQL server responds (${missing})`;
}
