// PostgreSQL refuses the service's connections, for each cause an operator can create: 503, then recovery without a
// restart.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { untilHealth } from "../harness/databases/ledger.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase, serverUrl } from "../harness/databases/test-engine.ts";
import { type ConnectedClient, connect } from "../harness/openid/openid.ts";
import { ADMIN, startTestService, type TestService } from "../harness/service/service.ts";

const PROBLEM = { accept: "application/problem+json" };

/** Statements of the server's administrator about `{db}` and `{role}`. */
const REFUSALS = [
	{
		what: "the database accepts no connections",
		code: "55000",
		refuse: ["ALTER DATABASE {db} ALLOW_CONNECTIONS false"],
		allow: ["ALTER DATABASE {db} ALLOW_CONNECTIONS true"],
	},
	{
		what: "the role may not connect to the database",
		code: "42501",
		refuse: ["REVOKE CONNECT ON DATABASE {db} FROM PUBLIC, {role}"],
		allow: ["GRANT CONNECT ON DATABASE {db} TO PUBLIC, {role}"],
	},
	{
		what: "the role may not log in",
		code: "28000",
		refuse: ["ALTER ROLE {role} NOLOGIN"],
		allow: ["ALTER ROLE {role} LOGIN"],
	},
	{
		what: "the database takes no more connections",
		code: "53300",
		refuse: ["ALTER DATABASE {db} CONNECTION LIMIT 0"],
		allow: ["ALTER DATABASE {db} CONNECTION LIMIT -1"],
	},
	{
		what: "the database has another name",
		code: "3D000",
		refuse: ["ALTER DATABASE {db} ALLOW_CONNECTIONS false", "ALTER DATABASE {db} RENAME TO {db}_away"],
		allow: ["ALTER DATABASE {db}_away RENAME TO {db}", "ALTER DATABASE {db} ALLOW_CONNECTIONS true"],
	},
] as const;

describe("PostgreSQL that refuses connections", { skip: POSTGRES_SKIPPED }, () => {
	let database: OwnDatabase;
	let role: string;
	let url: string;
	let administrator: Client;
	let service: TestService;
	let shop: ConnectedClient;
	before(async () => {
		database = await createPostgresDatabase({ migrated: false });
		role = `${database.name}_role`;
		administrator = new Client(serverUrl("postgres"));
		await administrator.connect();
		// Not a superuser, because limits do not apply to superusers.
		await tell("CREATE ROLE {role} LOGIN PASSWORD 'of the test'");
		await tell("ALTER DATABASE {db} OWNER TO {role}");
		const own = new URL(database.url);
		Object.assign(own, { username: role, password: "of the test" });
		url = own.href;
		service = await startTestService({
			env: {
				LATCHKEY_DATABASE_URL: `${url}?pool_size=4`,
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
				LATCHKEY_LOG_LEVEL: "fatal",
			},
		});
		// Loads the provider.
		shop = await connect(service, { type: "service", allowedResources: ["urn:api"], resource: "urn:api" });
		assert.equal((await tokens()).status, 200);
	});
	after(async () => {
		await service?.stop();
		await database.drop();
		await tell("DROP ROLE IF EXISTS {role}");
		await administrator.end();
	});

	const tell = (sql: string) =>
		administrator.query(sql.replaceAll("{db}", database.name).replaceAll("{role}", role));
	const endConnections = () =>
		administrator.query(
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()",
			[database.name],
		);
	const signIn = () =>
		service.call("POST", "/api/v1/auth/login", {
			body: { username: ADMIN.username, password: ADMIN.password },
			headers: PROBLEM,
		});
	const tokens = () =>
		service.call<{ readonly error: string }>("POST", "/oauth/token", {
			https: true,
			body: new URLSearchParams({
				grant_type: "client_credentials",
				resource: "urn:api",
				client_id: shop.id,
				client_secret: shop.secret,
			}).toString(),
			headers: { "content-type": "application/x-www-form-urlencoded" },
		});
	const authorize = (accept: string) =>
		service.call("GET", `/oauth/authorize?client_id=${shop.id}&response_type=code`, {
			https: true,
			headers: { accept },
		});
	/** The SQLSTATE with which the server refuses the service's role. */
	const refusalCode = async (): Promise<string | undefined> => {
		const client = new Client(url);
		return await client.connect().then(
			() => client.end().then(() => undefined),
			(error: { code?: string }) => error.code,
		);
	};

	for (const { what, code, refuse, allow } of REFUSALS)
		it(`causes 503 while ${what} (${code})`, async () => {
			assert.equal((await signIn()).status, 200);
			const [first = "", ...others] = refuse;
			await tell(first);
			await endConnections();
			for (const sql of others) await tell(sql);
			assert.equal(await refusalCode(), code);
			await untilHealth(service, 503);
			for (let count = 0; count < 3; count++) {
				const { status, headers, body } = await signIn();
				assert.deepEqual([status, body.code, headers["retry-after"]], [503, "service.unavailable", "1"]);
			}
			for (const refused of [await tokens(), await authorize("*/*")]) {
				const { status, headers, body } = refused;
				const { error } = body as { readonly error: string };
				assert.deepEqual([status, error, headers["retry-after"]], [503, "temporarily_unavailable", "1"]);
			}
			const page = await authorize("text/html");
			assert.deepEqual([page.status, page.headers["retry-after"]], [503, "1"]);
			for (const sql of allow) await tell(sql);
			await untilHealth(service, 200);
			assert.equal((await signIn()).status, 200);
		});
});
