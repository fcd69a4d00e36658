// The statements a request makes, as the service's own stores write them: what the bare driver repeats.

import type { Engine, Queries, SqlValue } from "../src/adapters/sql/engine.ts";
import { openPostgres } from "../src/adapters/sql/postgres.ts";
import { createPersistence, type Stores } from "../src/adapters/sql/stores.ts";

/** Plain data, since it travels between processes. */
export interface Statement {
	readonly text: string;
	readonly values: readonly SqlValue[];
}

/** Stands for a nonce: the driver puts a new one in its place. */
export const FRESH = "fresh-fresh-fresh-fresh";

/** Runs `ask` once on stores over the database, and notes what they ask. */
export async function statementsOf(
	url: string,
	ask: (stores: Stores) => Promise<unknown>,
): Promise<Statement[]> {
	const engine = await openPostgres(url);
	try {
		const statements: Statement[] = [];
		await ask(createPersistence(noting(engine, statements), OPTIONS).stores);
		return statements;
	} finally {
		await engine.close();
	}
}

const unused = (): never => {
	throw new Error("only reads and single statements are noted");
};
const OPTIONS = { nowMs: Date.now, newId: unused, chainHash: unused, seal: unused, open: unused };

function noting(engine: Engine, statements: Statement[]): Engine {
	const note =
		(method: "one" | "all" | "run") =>
		(text: string, ...values: SqlValue[]) => {
			statements.push({ text, values });
			return engine.queries[method](text, ...values);
		};
	const queries = { one: note("one"), all: note("all"), run: note("run"), awaitWriters: unused };
	return { ...engine, queries: queries as unknown as Queries };
}
