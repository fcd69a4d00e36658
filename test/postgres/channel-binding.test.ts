// `channel_binding` of the connection string, against a server with TLS and SCRAM.

import assert from "node:assert/strict";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { makeCertificate } from "../harness/certificates/certificate.ts";
import {
	OWN_POSTGRES_SKIPPED,
	type OwnPostgres,
	serverOwner,
	startOwnPostgres,
} from "../harness/databases/own-postgres.ts";
import { lastingFolder } from "../harness/runs/folder.ts";

/** `bound` proves its password with SCRAM, `plain` sends it; every other role needs none. */
const HBA = `hostssl all bound 127.0.0.1/32 scram-sha-256
hostssl all plain 127.0.0.1/32 password
host all all 127.0.0.1/32 trust
`;

describe("channel_binding", { skip: OWN_POSTGRES_SKIPPED }, () => {
	const folder = lastingFolder();
	let server: OwnPostgres;
	before(async () => {
		const { cert, key } = await makeCertificate("database");
		const files = { "cert.pem": cert, "key.pem": key, "hba.conf": HBA };
		const owner = serverOwner();
		for (const [name, text] of Object.entries(files)) {
			const file = join(folder, name);
			writeFileSync(file, text, { mode: 0o600 });
			if (owner !== undefined) chownSync(file, owner.uid, owner.gid);
		}
		chmodSync(folder, 0o755);
		server = await startOwnPostgres([
			"ssl=on",
			`ssl_cert_file=${join(folder, "cert.pem")}`,
			`ssl_key_file=${join(folder, "key.pem")}`,
			`hba_file=${join(folder, "hba.conf")}`,
		]);
		const client = new Client({ connectionString: server.url });
		await client.connect();
		for (const role of ["bound", "plain"])
			await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'a password'`);
		await client.end();
	});
	after(() => server.remove());

	const connect = async (user: string, query: string): Promise<unknown> => {
		const { host } = new URL(server.url);
		const engine = await openPostgres(`postgres://${user}:a%20password@${host}/postgres?${query}`);
		try {
			return await engine.queries.one("SELECT 1 AS one");
		} finally {
			await engine.close();
		}
	};

	for (const query of ["channel_binding=require", "channel_binding=prefer", "channel_binding=disable", ""])
		test(`connects with TLS and ${query || "without the parameter"}`, async () => {
			assert.deepEqual(await connect("bound", `sslmode=require&${query}`), { one: 1 });
		});

	test("require refuses a server that takes the password itself, or asks for none", async () => {
		assert.deepEqual(await connect("plain", "sslmode=require"), { one: 1 });
		for (const user of ["plain", "latchkey"])
			await assert.rejects(connect(user, "sslmode=require&channel_binding=require"), /SCRAM-SHA-256-PLUS/);
	});
});
