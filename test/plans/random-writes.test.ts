// Random writes to every table, by the service and by another process: cached rows always equal those of the file.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, it } from "node:test";
import { migrate } from "../../src/adapters/migrations/migrate.ts";
import type { Engine, Queries } from "../../src/adapters/sql/engine.ts";
import { TABLES } from "../../src/adapters/sql/tables/all-tables.ts";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { KEPT_STATEMENTS } from "../../src/adapters/stores/kept-plans.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type Random, seededRandom } from "../harness/runs/random.ts";
import { fillTables } from "./explained-database.ts";
import { APP, NOW, TENANT, USER } from "./filled-rows.ts";

const STEPS = 200;
const ONE_KEY = ["sessions-7", "sessions-8", "api_key-7", "oauth_grants-7", APP, "applications-7"];
const PAIRS = [
	[USER, APP],
	["api_clients-7", APP],
	[APP, "applications-7"],
] as const;
/** Few rows of each table, so that writes meet those that the statements find. */
const ROWS = [0, 1, 7, 8];

const READS = KEPT_STATEMENTS.flatMap((statement) =>
	statement.text.includes("$3")
		? PAIRS.map((pair) => ({ statement, keys: [TENANT, ...pair] }))
		: ONE_KEY.map((key) => ({ statement, keys: [key] })),
);

for (const seed of [1, 2, 3])
	describe(`cached rows after random writes, seed ${seed}`, () => {
		it("equal the rows of the file", async () => {
			using folder = temporaryFolder();
			const file = join(folder.path, "test.db");
			const engine = openSqlite(file);
			await migrate(engine, NOW);
			await fillTables(engine);
			const other = new DatabaseSync(file);
			other.exec("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000");
			const random = seededRandom(seed);
			let changed = 0;
			for (let step = 0; step < STEPS; step++) {
				await Promise.all(READS.map(({ statement, keys }) => engine.queries.all(statement, ...keys)));
				changed += await writeSome(engine, other, random);
				for (const { statement, keys } of READS) {
					const cached = await engine.queries.all<object>(statement, ...keys);
					const sql = statement.text.replaceAll(/\$(\d+)/g, "?$1");
					assert.deepEqual(
						cached.map((row) => ({ ...row })),
						other
							.prepare(sql)
							.all(...keys)
							.map((row) => ({ ...row })),
						`step ${step}: ${keys.join(", ")}\n${sql}`,
					);
				}
			}
			assert.ok(changed > STEPS / 2, `${changed} writes`);
			other.close();
			await engine.close();
		});
	});

/** Writes once to three times, together. @returns the number of changed rows */
async function writeSome(engine: Engine, other: DatabaseSync, random: Random): Promise<number> {
	if (random(4) === 0) {
		const { sql, values } = randomWrite(random);
		return attempt(() => Number(other.prepare(sql).run(...values).changes));
	}
	const writes = Array.from({ length: 1 + random(3) }, () => randomWrite(random));
	const run = (queries: Queries) => (write: Write) =>
		attempt(() => queries.run(write.sql.replaceAll(/\?(\d)/g, "$$$1"), ...(write.values as string[])));
	const isAborted = random(5) === 0;
	const done = await Promise.all([
		...writes.slice(1).map(run(engine.queries)),
		engine
			.transaction(async (queries) => {
				const rows = await run(queries)(writes[0] as Write);
				if (isAborted) throw new Error("aborted");
				return rows;
			})
			.catch(() => 0),
	]);
	return done.reduce((sum, rows) => sum + rows, 0);
}

interface Write {
	readonly sql: string;
	readonly values: readonly SQLInputValue[];
}

/** A constraint may refuse the write. */
async function attempt(write: () => number | Promise<number>): Promise<number> {
	try {
		return await write();
	} catch {
		return 0;
	}
}

/** Deletes a row, gives a column of a row the value of another row, or replaces a row by itself. */
function randomWrite(random: Random): Write {
	const tables =
		random(3) === 0 ? TABLES.filter(({ name }) => name === "sessions" || name === "users") : TABLES;
	const table = tables[random(tables.length)] as (typeof TABLES)[number];
	const columns = table.fields.map(({ column }) => column);
	const column = columns[random(columns.length)] as string;
	const [row, from] = [ROWS[random(ROWS.length)], ROWS[random(ROWS.length)]] as [number, number];
	const at = (offset: number): string =>
		`(SELECT rowid FROM ${table.name} ORDER BY rowid LIMIT 1 OFFSET ${offset})`;
	const kind = random(20);
	if (kind === 0) return { sql: `DELETE FROM ${table.name} WHERE rowid = ${at(row)}`, values: [] };
	if (kind < 3)
		return {
			sql: `INSERT OR REPLACE INTO ${table.name} (${columns.join(", ")}) SELECT ${columns.join(", ")} FROM ${table.name} WHERE rowid = ${at(row)}`,
			values: [],
		};
	if (kind < 6)
		return {
			sql: `WITH chosen (number) AS (SELECT ${at(row)}) UPDATE ${table.name} SET ${column} = ?1 WHERE rowid IN (SELECT number FROM chosen)`,
			values: [random(2) === 0 ? "changed" : random(1000)],
		};
	if (kind < 13 && columns.includes("id"))
		return {
			sql: `UPDATE ${table.name} SET ${column} = ?1 WHERE id = ?2 AND ${column} <> ?1`,
			values: [random(2) === 0 ? "changed" : random(1000), `${table.name}-${row}`],
		};
	return {
		sql: `UPDATE ${table.name} SET ${column} = (SELECT o.${column} FROM ${table.name} o WHERE o.rowid = ${at(from)}) WHERE rowid = ${at(row)}`,
		values: [],
	};
}
