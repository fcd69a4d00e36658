// The trigram index over the names of users in an embedded database, which triggers update in every commit.

import type { Queries, SqlValue, Statement } from "../sql/queries.ts";
import type { Connection } from "./sqlite-connection.ts";

/** The prefix of all tables and triggers of the index, which are not part of the schema or of backups. */
const PREFIX = "search_users";
/** All names of a row in one text. The condition of the search itself excludes matches that span two names. */
const namesOf = (row: string): string =>
	`(${row}.username_key || char(10) || ${row}.email || char(10) || ${row}.display_name_folded)`;
/** Does nothing for a user who is not indexed yet. To delete an entry, FTS5 needs exactly the text that was inserted. */
const forget = `INSERT INTO search_users_letters (search_users_letters, rowid, names)
		SELECT 'delete', number, ${namesOf("OLD")} FROM search_users WHERE user_id = OLD.id;`;
const learn = `INSERT INTO search_users_letters (rowid, names)
		SELECT number, ${namesOf("NEW")} FROM search_users WHERE user_id = NEW.id;`;

/**
 * Each user has its own number, because `VACUUM` may change the `rowid` of a table with another key. While existing users are
 * being indexed, `search_users_rest` has a row: those with an id above `after_id` are still missing.
 */
const TABLES = [
	"CREATE TABLE search_users (number INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE)",
	"CREATE VIRTUAL TABLE search_users_letters USING fts5(names, content='', detail=none, tokenize='trigram case_sensitive 1')",
	"CREATE TABLE search_users_rest (after_id TEXT NOT NULL)",
];
const TRIGGERS = [
	`CREATE TRIGGER search_users_insert AFTER INSERT ON users BEGIN
	INSERT INTO search_users (user_id) VALUES (NEW.id);
	${learn}
END`,
	`CREATE TRIGGER search_users_update AFTER UPDATE OF username_key, email, display_name_folded ON users WHEN ${namesOf("NEW")} <> ${namesOf("OLD")} BEGIN
	${forget}
	${learn}
END`,
	`CREATE TRIGGER search_users_delete AFTER DELETE ON users BEGIN
	${forget}
	DELETE FROM search_users WHERE user_id = OLD.id;
END`,
];
const DEFINITIONS = [...TABLES, ...TRIGGERS];
/** Matches names with the prefix. To GLOB, `_` is not a wildcard. */
const OF_INDEX = `name GLOB '${PREFIX}*'`;
/** For statements that list tables: only the engine knows those of the index. */
export const NOT_OF_NAME_INDEX = `NOT (${OF_INDEX})`;

/** Users indexed per step, which blocks everything else for a few milliseconds. */
const STEP = 200;
/** With more candidates, reading all users is no slower, and the first page arrives much sooner. */
const MOST_CANDIDATES = 20_000;
/** Additional trigrams would hardly exclude more users. */
const MOST_TRIGRAMS = 32;
const LETTERS = 3;

/** Creates an empty index, to which all users must be added, unless an index with these definitions exists. */
export async function createNameIndex(queries: Queries): Promise<void> {
	const found = await queries.all<{ sql: string }>(FIND_DEFINITIONS);
	if (isDefined(found)) return;
	await dropNameIndex(queries);
	for (const sql of DEFINITIONS) await queries.run(sql);
	await queries.run("INSERT INTO search_users_rest (after_id) VALUES ('')");
}

/** Indexes some of the missing users. @returns whether there are more. */
export async function extendNameIndex(queries: Queries): Promise<boolean> {
	const rest = await queries.one<{ after_id: string }>("SELECT after_id FROM search_users_rest");
	if (rest === undefined) return false;
	const next = `SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT ${STEP}`;
	const last = await queries.one<{ id: string | null }>(`SELECT max(id) AS id FROM (${next})`, rest.after_id);
	if (last?.id === null || last?.id === undefined) {
		await queries.run("DELETE FROM search_users_rest");
		return false;
	}
	// The trigger has already numbered users that were created in the meantime.
	const highest = await queries.one<{ number: number }>(
		"SELECT coalesce(max(number), 0) AS number FROM search_users",
	);
	await queries.run(`INSERT INTO search_users (user_id) ${next} ON CONFLICT DO NOTHING`, rest.after_id);
	await queries.run(
		`INSERT INTO search_users_letters (rowid, names) SELECT number, ${namesOf("users")}
		 FROM search_users CROSS JOIN users ON users.id = user_id WHERE number > $1`,
		highest?.number ?? 0,
	);
	await queries.run("UPDATE search_users_rest SET after_id = $1", last.id);
	return true;
}

export async function dropNameIndex(queries: Queries): Promise<void> {
	const find = `SELECT type, name FROM sqlite_master WHERE ${OF_INDEX} AND type = $1`;
	for (const { name } of await queries.all<{ name: string }>(find, "trigger"))
		await queries.run(`DROP TRIGGER ${name}`);
	// Dropping the virtual table also drops the internal tables of FTS5.
	for (const name of ["search_users_letters", "search_users_rest", "search_users"])
		await queries.run(`DROP TABLE IF EXISTS ${name}`);
}

/** Joins the candidates with their rows, in this order. */
const CANDIDATES_FIRST = (parameter: number): string =>
	`FROM (SELECT value AS candidate FROM json_each($${parameter})) CROSS JOIN users ON users.id = candidate`;

/** Limits a search to the users that may match, if the index can determine them. Reads the snapshot of the connection. */
export function narrowed(
	connection: Connection,
	{ text, userNamesLike }: Statement,
	parameters: readonly SqlValue[],
): readonly [sql: string, parameters: SqlValue[]] {
	const pattern = userNamesLike === undefined ? undefined : parameters[userNamesLike - 1];
	const found = candidates(connection, pattern);
	if (found === undefined) return [text, [...parameters]];
	const from = CANDIDATES_FIRST(parameters.length + 1);
	return [text.replace("FROM users", () => from), [...parameters, JSON.stringify(found)]];
}

/** The ids of all users that may match, or undefined when the index cannot determine them or there are too many. */
function candidates(connection: Connection, pattern: SqlValue | undefined): string[] | undefined {
	const match = typeof pattern === "string" ? matchOf(pattern) : undefined;
	if (match === undefined || !isComplete(connection)) return undefined;
	const found = connection.allNow<{ id: string }>(
		`SELECT user_id AS id FROM search_users_letters CROSS JOIN search_users ON number = search_users_letters.rowid
		 WHERE search_users_letters MATCH $1 LIMIT $2`,
		[match, MOST_CANDIDATES + 1],
	);
	return found.length > MOST_CANDIDATES ? undefined : found.map(({ id }) => id);
}

/** All trigrams of the part in a pattern `%…%`; undefined if it is shorter. */
function matchOf(pattern: string): string | undefined {
	const letters = [...pattern.slice(1, -1).replaceAll(/\\([\\%_])/g, "$1")];
	// A null character would end the expression.
	if (letters.length < LETTERS || letters.includes("\0")) return undefined;
	const trigrams = letters.slice(LETTERS - 1).map((_, at) => letters.slice(at, at + LETTERS).join(""));
	const distinct = [...new Set(trigrams)].slice(0, MOST_TRIGRAMS);
	return distinct.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ");
}

const FIND_DEFINITIONS = `SELECT sql FROM sqlite_master WHERE ${OF_INDEX} AND type IN ('table', 'trigger')`;

/** A restore drops the index, and an older version may have created a different one. */
function isDefined(found: readonly { readonly sql: string }[]): boolean {
	return DEFINITIONS.every((definition) => found.some(({ sql }) => sql === definition));
}

function isComplete(connection: Connection): boolean {
	return (
		isDefined(connection.allNow(FIND_DEFINITIONS, [])) &&
		connection.allNow("SELECT after_id FROM search_users_rest", []).length === 0
	);
}
