// Whether the database can say on which server it runs. Only a server that never can has no fence.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { SERVER_IDENTITY } from "../../src/adapters/postgres/postgres-server.ts";
import { StartError } from "../../src/kernel/start-error.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase } from "../harness/databases/test-engine.ts";
import { fixture } from "../harness/runs/fixture.ts";

describe("the identity of the server", { skip: POSTGRES_SKIPPED }, () => {
	const database = fixture(() => createPostgresDatabase({ migrated: false }), "drop");

	/** From now on, a new connection fails with this SQLSTATE when it asks for the identity. */
	async function refuseWith(code: string): Promise<void> {
		const client = new Client(database.url);
		await client.connect();
		await client.query(
			`CREATE OR REPLACE FUNCTION public.pg_control_system() RETURNS TABLE (system_identifier BIGINT)
				LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$;
			 ALTER DATABASE ${database.name} SET search_path = public, pg_catalog`,
		);
		await client.end();
	}

	test("is on timeline 0 on a standby, behind a pooler", async () => {
		const client = new Client(database.url);
		await client.connect();
		await client.query(
			`SET search_path = public, pg_catalog;
			 CREATE FUNCTION public.pg_is_in_recovery() RETURNS BOOLEAN LANGUAGE sql AS 'SELECT TRUE'`,
		);
		const { rows } = await client.query(`SELECT ${SERVER_IDENTITY} AS identity`);
		await client.query("DROP FUNCTION public.pg_is_in_recovery()");
		await client.end();
		assert.match(rows[0].identity, /^[0-9]+\/00000000$/);
	});

	for (const code of ["0A000", "42501"])
		test(`is undefined on a server that does not report it (${code})`, async () => {
			await refuseWith(code);
			const engine = await openPostgres(database.url);
			assert.equal(engine.serverIdentity, undefined);
			await engine.close();
		});

	for (const code of ["57014", "53200"])
		test(`is asked for again after a failure that passes (${code})`, async () => {
			await refuseWith(code);
			await assert.rejects(
				openPostgres(database.url),
				(error: unknown) => error instanceof StartError && error.kind === "away",
			);
		});
});
