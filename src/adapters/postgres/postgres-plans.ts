// Keeps the plans of statements in functions: behind a pooler in transaction mode, no prepared statement persists.

import type { Engine } from "../sql/engine.ts";

/** A column of a result; `type` is the OID of a type. */
export interface ResultColumn {
	readonly name: string;
	readonly type: number;
}

/**
 * The name contains a digest of the definition: nodes of several versions each call their own text, and a schema keeps the
 * functions of earlier ones. A function of a role other than the owner of the tables, or with settings of its own, is not
 * ours: it could read other tables.
 */
const FIND = `SELECT k.name, p.prosrc AS body FROM (SELECT 'latchkey_' || left(md5($1), 24) AS name) k
	LEFT JOIN pg_proc p ON p.oid = to_regprocedure(k.name || $2) AND p.proconfig IS NULL AND NOT p.prosecdef
		AND p.proowner IN ((SELECT relowner FROM pg_class WHERE oid = to_regclass('sessions')),
			(SELECT oid FROM pg_roles WHERE rolname = current_user))`;

interface Found {
	readonly name: string;
	readonly body: string | null;
}

/**
 * Creates the function of a statement if it is missing or its body was changed.
 *
 * @returns a statement that calls it.
 * @throws DatabaseError when the role may not create functions.
 */
export async function keepPlan(
	engine: Engine,
	text: string,
	columns: readonly ResultColumn[],
): Promise<string> {
	const values = parametersOf(text);
	const types = `(${values.map(() => "text").join(", ")})`;
	// Columns of tables take precedence over the equal names of the function's own columns.
	const body = `\n#variable_conflict use_column\nBEGIN RETURN QUERY ${text}; END`;
	const rest = `RETURNS TABLE (${await declare(engine, columns)}) LANGUAGE plpgsql STABLE AS $plan$${body}$plan$`;
	const find = () => engine.queries.one<Found>(FIND, `${types} ${rest}`, types) as Promise<Found>;
	const { name, body: found } = await find();
	if (found !== body)
		await engine.exclusively(async () => {
			// Another node may have created it before it released the lock.
			if ((await find()).body === body) return;
			await engine.transaction((queries) =>
				engine.script(queries, `CREATE OR REPLACE FUNCTION ${name}${types} ${rest}`),
			);
		});
	return `SELECT * FROM ${name}(${values.join(", ")})`;
}

/** `$1`, `$2` …: every parameter of the statement, all of which are texts. */
export function parametersOf(text: string): string[] {
	const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
	return Array.from({ length: Math.max(0, ...numbers) }, (_, index) => `$${index + 1}`);
}

async function declare({ queries }: Engine, columns: readonly ResultColumn[]): Promise<string> {
	const rows = await queries.all<{ type: string }>(
		"SELECT format_type(t.oid, NULL) AS type FROM unnest(CAST($1 AS OID[])) WITH ORDINALITY AS t (oid, place) ORDER BY place",
		`{${columns.map(({ type }) => type).join(",")}}`,
	);
	return columns.map(({ name }, index) => `"${name}" ${rows[index]?.type}`).join(", ");
}
