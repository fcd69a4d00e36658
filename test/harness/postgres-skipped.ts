// Whether tests of PostgreSQL itself can run.

import { findPostgres } from "./test-engine.ts";

/** `false`, or why they are skipped. Where `CI` is set they are not: a missing server fails there. */
export const POSTGRES_SKIPPED: false | string = await whySkipped();

async function whySkipped(): Promise<false | string> {
	if (process.env.CI !== undefined) return false;
	const missing = await findPostgres();
	return missing === undefined ? false : `no PostgreSQL answers (${missing})`;
}
