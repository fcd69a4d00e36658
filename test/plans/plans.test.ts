// No statement of a store visits more rows as a table grows, except those listed with a reason.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Engine, Queries, SqlValue } from "../../src/adapters/sql/engine.ts";
import { type Sql, textOf } from "../../src/adapters/sql/queries.ts";
import type { Db, Stores } from "../../src/domain/stores.ts";
import { openTestEngine, TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { CALLS } from "./calls.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import { explainedStores, fillTables } from "./explained-database.ts";
import { PAGE, ROWS } from "./filled-rows.ts";
import { VISITS } from "./visits.ts";

/** The rows of a page with their joined rows: far fewer than a table has. */
const MOST_VISITED = 4 * PAGE.pageSize;
/** An exact total counts the matching rows, each with one joined row. */
const VISITED_TO_COUNT = 2;
const COUNT = /^SELECT count\(\*\) AS total FROM /;

/**
 * Rows of a cached statement are as old as the last commit, so a condition on the time would be late. A time that the
 * caller passes is one too.
 */
const TIME =
	/unixepoch|strftime|julianday|datetime|now *\(|(?:current|statement|clock)_timestamp|_at *[<>]=? *(?:CAST\()?\$|\$\d+ *[<>]=? *(?:\w+\.)?\w+_at\b/i;

class Undo extends Error {}

/** What there is until the job has removed it. PostgreSQL counts the rows; the plans of SQLite do not say where a range ends. */
const OVER = ["grants", "group_grants", "client_grants", "program_grants", "group_members"].map(
	(name) => `UPDATE ${name} SET expires_at = 1`,
);

for (const [title, changes] of [
	["all stores", []],
	...(TEST_ENGINE === "postgres"
		? [["all stores, where every grant and membership is over", OVER] as const]
		: []),
] as const)
	describe(`plans of the statements of ${title}`, () => {
		let engine: Engine;
		let db: Db;
		let call = "";
		let offenders: string[] = [];
		const used = new Set<RegExp>();
		const cached = new Set<string>();

		before(async () => {
			assert.ok(MOST_VISITED * 4 < ROWS);
			engine = await openTestEngine();
			await fillTables(engine, changes);
			const { serverIdentity } = engine;
			// Nonces are claimed on the accepted server only.
			if (serverIdentity !== undefined)
				await engine.queries.run(`INSERT INTO meta (key, value) SELECT 'database_server', ${serverIdentity}`);
			db = explainedStores(engine, explain);
		});
		after(() => engine.close());

		async function explain(queries: Queries, sql: Sql, parameters: readonly SqlValue[]): Promise<void> {
			const statement = textOf(sql);
			if (typeof sql !== "string" && sql.reads === "cached") {
				cached.add(statement);
				if (TIME.test(statement) || parameters.some((value) => typeof value === "number"))
					offenders.push(`is cached, but depends on the time: ${statement}`);
			}
			const { visited, plan } = await VISITS[TEST_ENGINE](queries, statement, parameters);
			if (visited <= MOST_VISITED) return;
			if (COUNT.test(statement)) {
				const counted = await queries.one<{ total: number }>(sql, ...parameters);
				if (visited <= VISITED_TO_COUNT * (counted?.total ?? 0)) return;
			}
			const text = `${call}: ${statement.replaceAll(/\s+/g, " ")}`;
			const exception = EXCEPTIONS.find(
				({ statement, isOfOver }) => statement.test(text) && (isOfOver !== true || changes.length > 0),
			);
			if (exception === undefined) offenders.push(`visits ${visited} rows: ${text}\n  ${plan}`);
			else {
				used.add(exception.statement);
				const isSeparate = typeof sql !== "string" && sql.reads === "separately";
				if (exception.isSeparate) assert.ok(isSeparate, `does not run separately: ${text}`);
			}
		}

		/** Runs one call in a transaction and rolls it back. On SQLite, claiming a nonce commits by itself. */
		async function perform(
			store: keyof Stores,
			method: string,
			parameters: readonly unknown[],
		): Promise<void> {
			call = `${store}.${method}(${JSON.stringify(parameters).slice(1, -1)})`;
			const run = async (stores: Stores): Promise<void> => {
				const methods = stores[store] as unknown as Record<
					string,
					(...values: readonly unknown[]) => unknown
				>;
				await methods[method]?.(...parameters);
			};
			if (TEST_ENGINE === "sqlite" && store === "nonces" && method !== "purge") return run(db.stores);
			const work = db.transaction(async (stores) => {
				await run(stores);
				throw new Undo();
			});
			await assert.rejects(work, (error) => {
				if (error instanceof Undo) return true;
				throw new Error(`${call} failed`, { cause: error });
			});
		}

		for (const [store, methods] of Object.entries(CALLS))
			it(store, async () => {
				offenders = [];
				for (const [method, calls] of Object.entries<(typeof CALLS)["users"]["list"]>(methods)) {
					assert.ok(calls.length > 0, `${store}.${method} is called`);
					for (const parameters of calls) await perform(store as keyof Stores, method, parameters);
				}
				assert.equal(offenders.join("\n"), "");
			});

		it("finds a time in a cached statement", () => {
			assert.ok(cached.size > 10);
			for (const condition of [
				"expires_at > $1",
				"$2 < g.expires_at",
				"expires_at > unixepoch('subsec')",
				"at > now()",
			])
				assert.match(`SELECT 1 FROM grants g WHERE ${condition}`, TIME);
			assert.doesNotMatch("CASE WHEN m.expires_at < g.expires_at THEN 1 END", TIME);
		});

		it("uses every exception", { skip: TEST_ENGINE === "postgres" && "some are for SQLite alone" }, () => {
			const unused = EXCEPTIONS.filter(
				({ statement, isOfPostgres, isOfOver }) =>
					isOfPostgres !== true && isOfOver !== true && !used.has(statement),
			);
			assert.deepEqual(unused, []);
		});
	});
