// Runs a store's statements as EXPLAIN QUERY PLAN on the embedded database, to test which indexes they use.

import { type Queries, type Sql, type SqlValue, textOf } from "../../../src/adapters/sql/queries.ts";

/** Queries that read no rows: they append the plan of each statement to `plans`. */
export function explainQueries(queries: Queries, plans: string[]): Queries {
	const explain = async <Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row[]> => {
		const steps = await queries.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${textOf(sql)}`, ...parameters);
		plans.push(steps.map(({ detail }) => detail).join("; "));
		return [];
	};
	return {
		one: async (sql, ...parameters) => (await explain<never>(sql, ...parameters))[0],
		all: explain,
		run: () => Promise.resolve(1),
	};
}
