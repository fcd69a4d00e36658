// The interface of what counts the rows that a statement visits.

import type { Queries, SqlValue } from "../../src/adapters/sql/engine.ts";

export interface Visits {
	/** Counts only rows of tables that grow. */
	readonly visited: number;
	readonly plan: string;
}

/** Changes nothing. */
export type CountVisits = (queries: Queries, sql: string, parameters: readonly SqlValue[]) => Promise<Visits>;
