// Records the statements that the service's stores run for a request, for the bare driver to repeat.

import { openPostgres } from "../src/adapters/postgres/postgres.ts";
import type { Engine, Queries, SqlValue } from "../src/adapters/sql/engine.ts";
import { type Sql, textOf } from "../src/adapters/sql/queries.ts";
import { createPersistence } from "../src/adapters/stores/stores.ts";
import { sha256Hex } from "../src/crypto/digest.ts";
import type { Stores } from "../src/domain/stores.ts";

/** Plain data for messages between processes. */
export interface Statement {
	readonly text: string;
	readonly values: readonly SqlValue[];
}

/** Placeholder that the driver replaces with a new nonce. */
export const FRESH = "fresh-fresh-fresh-fresh";

/** Runs `ask` once and records the statements of the stores. */
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
	throw new Error("only reads and single statements are recorded");
};
const OPTIONS = {
	nowMs: Date.now,
	newId: unused,
	auditChain: { digestOf: unused, link: unused },
	digestOf: sha256Hex,
	userCiphers: { newKey: unused, of: unused },
	seal: unused,
	open: unused,
	subjectOf: unused,
};

function noting(engine: Engine, statements: Statement[]): Engine {
	const note =
		(method: "one" | "all" | "run") =>
		(sql: Sql, ...values: SqlValue[]) => {
			statements.push({ text: textOf(sql), values });
			return engine.queries[method](sql, ...values);
		};
	const queries = { one: note("one"), all: note("all"), run: note("run"), awaitWriters: unused };
	return { ...engine, queries: queries as unknown as Queries };
}
