// Runs the shell blocks of docs/recovery.md: a backup off the machine, and a recovery to a point in time.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { type OwnPostgres, serverOwner, startUniquePostgres } from "../harness/databases/own-postgres.ts";
import { addPerson } from "../harness/people/people.ts";
import { type OperatorShell, openShell, shellBlocks } from "../harness/runs/operator-shell.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";
import { SERVERS_SKIPPED, stepsOf } from "./steps.ts";

const BLOCKS = shellBlocks("docs/recovery.md");

describe("docs/recovery.md", { skip: SERVERS_SKIPPED }, () => {
	let shell: OperatorShell;
	let server: OwnPostgres;
	let service: TestService;

	const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
		const client = new Client({ connectionString: server.url });
		await client.connect();
		try {
			return (await client.query(sql)).rows as Record<string, unknown>[];
		} finally {
			await client.end();
		}
	};

	before(async () => {
		server = await startUniquePostgres();
		shell = openShell({
			DATABASE: server.url,
			LATCHKEY_DATABASE_URL: server.url,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
			PGPORT: new URL(server.url).port,
		});
		const owned = shell.serverFolder("owned");
		Object.assign(shell.env, {
			ARCHIVE: shell.serverFolder("archive"),
			BASE_BACKUP: join(owned, "base"),
			RECOVERED: join(owned, "recovered"),
			OFFSITE: shell.place("offsite"),
			PASSPHRASE: shell.place("passphrase"),
		});
		mkdirSync(shell.place("offsite"));
		writeFileSync(shell.place("passphrase"), "a long passphrase\n", { mode: 0o600 });
		const archive = shell.env.ARCHIVE;
		for (const setting of [
			"archive_mode = on",
			`archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
			`unix_socket_directories = '${owned}'`,
		])
			await ask(`ALTER SYSTEM SET ${setting}`);
		await stopServer();
		await server.start();
		service = await startTestService({
			env: {
				LATCHKEY_DATABASE_URL: server.url,
				LATCHKEY_MASTER_KEY: shell.env.LATCHKEY_MASTER_KEY as string,
			},
		});
	});
	after(async () => {
		await service?.stop();
		const stop = ["--pgdata", String(shell?.env.RECOVERED), "--mode", "immediate", "stop"];
		await promisify(execFile)("pg_ctl", stop, { env: shell?.env, cwd: "/", ...serverOwner() }).catch(
			() => undefined,
		);
		await server?.remove();
		shell?.[Symbol.dispose]();
	});

	async function stopServer(): Promise<void> {
		const [{ data_directory: data } = {}] = await ask("SHOW data_directory");
		server.signal("SIGINT");
		const deadline = performance.now() + 30_000;
		while (existsSync(join(String(data), "postmaster.pid"))) {
			assert.ok(performance.now() < deadline, "PostgreSQL did not stop");
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}

	test("has four blocks", () => assert.equal(BLOCKS.length, 4));

	test("backs up through a pipe, encrypted, and proves the copy", async () => {
		assert.match(await shell.run(BLOCKS[0]), /^the backup can be restored$/m);
	});

	test("recovers to a point in time, fenced, with whole trails", async () => {
		await shell.run(BLOCKS[1]);
		const { username: kept } = await addPerson(service, "kept");
		const [{ now = "" } = {}] = await ask("SELECT clock_timestamp()::text AS now");
		shell.env.TARGET = String(now);
		const { username: lost } = await addPerson(service, "lost");
		const [{ file = "" } = {}] = await ask("SELECT pg_walfile_name(pg_switch_wal()) AS file");
		const archived = `SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= '${String(file)}'`;
		const deadline = performance.now() + 30_000;
		while ((await ask(archived)).length === 0) {
			assert.ok(performance.now() < deadline, "nothing was archived");
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		await service.stop();
		await stopServer();

		await shell.run(BLOCKS[2]).catch(async (error: unknown) => {
			throw new Error(readFileSync(`${shell.env.RECOVERED}/recovery.log`, "utf8"), { cause: error });
		});
		const isPrimary = "SELECT 1 WHERE NOT pg_is_in_recovery()";
		while ((await ask(isPrimary)).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
		assert.match(await shell.run(BLOCKS[3]), /^default: ok, [1-9]\d* events/m);
		const names = (await ask("SELECT username FROM users")).map(({ username }) => username);
		assert.ok(names.includes(kept), "a user from before the time is lost");
		assert.ok(!names.includes(lost), "a user from after the time is there");
		assert.deepEqual(await ask("SELECT id FROM sessions"), []);
		const steps = stepsOf("A point in time");
		assert.match(await steps.next(shell), /^default: ok, /m);
		steps.end();
	});
});
