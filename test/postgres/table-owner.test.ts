// A role that may use the tables but does not own them, such as after a restore by another role.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase, serverUrl } from "../harness/databases/test-engine.ts";
import { runCommand } from "../harness/processes/command.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { startTestService } from "../harness/service/service.ts";

interface HealthBody {
	readonly data: {
		readonly status: string;
		readonly checks: Readonly<Record<string, string>>;
		readonly details?: Readonly<Record<string, string>>;
	};
}

describe("a role that does not own the tables", { skip: POSTGRES_SKIPPED }, () => {
	const folder = lastingFolder();
	let database: OwnDatabase;
	let role: string;
	let env: Readonly<Record<string, string>>;
	let administrator: Client;
	before(async () => {
		database = await createPostgresDatabase({ migrated: false });
		env = {
			LATCHKEY_DATABASE_URL: database.url,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
			LATCHKEY_LOG_LEVEL: "fatal",
		};
		await (await startTestService({ env })).stop();
		role = `${database.name}_role`;
		administrator = new Client(serverUrl(database.name));
		await administrator.connect();
		await administrator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'of the test'`);
		// The right to create is not enough: the table of a month is attached to one that exists.
		await administrator.query(`GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
		await administrator.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
		await administrator.query("CREATE TABLE of_another_program (id INT)");
		const own = new URL(database.url);
		Object.assign(own, { username: role, password: "of the test" });
		env = { ...env, LATCHKEY_DATABASE_URL: own.href };
	});
	after(async () => {
		await administrator.end();
		await database.drop();
		const server = new Client(serverUrl("postgres"));
		await server.connect();
		await server.query(`DROP ROLE IF EXISTS ${role}`);
		await server.end();
	});

	async function report() {
		const service = await startTestService({ env });
		try {
			const { status, body } = await service.call<HealthBody>("GET", "/health");
			const { stdout } = await runCommand(["doctor"], { env: { ...env, LATCHKEY_DATA_DIR: folder } });
			return { httpStatus: status, ...body.data, warning: /^warn {2}database .*$/m.exec(stdout)?.[0] };
		} finally {
			await service.stop();
		}
	}
	async function ownedBy(owner: string, tables: string): Promise<void> {
		const { rows } = await administrator.query<{ name: string }>(
			"SELECT c.oid::regclass::text AS name FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname LIKE $1 AND relname <> 'of_another_program'",
			[tables],
		);
		for (const { name } of rows) await administrator.query(`ALTER TABLE ${name} OWNER TO ${owner}`);
	}

	it("is named by /health and doctor", async () => {
		const { httpStatus, status, checks, details, warning } = await report();
		assert.deepEqual([httpStatus, status, checks.database_owner], [200, "ok", "degraded"]);
		assert.match(details?.database_owner ?? "", /^another role owns \d\d of the tables: /);
		assert.match(
			warning ?? "",
			new RegExp(`the role ${role} does not own \\w+, \\w+, \\w+ and \\d+ more, so`),
		);
	});

	it("is fine as soon as it owns them, also as a member of the owner", async () => {
		await ownedBy(role, "%");
		const owned = await report();
		assert.deepEqual([owned.checks.database_owner, owned.warning], ["ok", undefined]);
		const { rows } = await administrator.query<{ name: string }>("SELECT current_user AS name");
		await ownedBy(rows[0]?.name ?? "", "users");
		const one = await report();
		assert.equal(one.checks.database_owner, "degraded");
		assert.match(one.warning ?? "", new RegExp(`the role ${role} does not own users, so `));
		await ownedBy("pg_monitor", "users");
		await administrator.query(`GRANT pg_monitor TO ${role}`);
		assert.equal((await report()).checks.database_owner, "ok");
	});
});
