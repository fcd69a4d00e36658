// Runs the shell blocks of docs/recovery.md: a backup off the machine, and a recovery to a point in time.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { readDocument } from "../docs/document.ts";
import {
	OWN_POSTGRES_SKIPPED,
	type OwnPostgres,
	postgresPrograms,
	serverOwner,
	startUniquePostgres,
} from "../harness/databases/own-postgres.ts";
import { addPerson } from "../harness/people/people.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const BLOCKS = [...readDocument("docs/recovery.md").matchAll(/^```sh\n(.*?)^```$/gms)].map(
	([, text = ""]) => text,
);

describe("docs/recovery.md", { skip: OWN_POSTGRES_SKIPPED }, () => {
	const folder = temporaryFolder();
	const place = (name: string): string => join(folder.path, name);
	const owner = serverOwner();
	const env: Record<string, string> = {
		ARCHIVE: place("archive"),
		BASE_BACKUP: place("owned/base"),
		RECOVERED: place("owned/recovered"),
		OFFSITE: place("offsite"),
		PASSPHRASE: place("passphrase"),
		PATH: `${place("bin")}:${OWN_POSTGRES_SKIPPED === false ? postgresPrograms() : ""}:${process.env.PATH}`,
		HOME: folder.path,
		LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
		LATCHKEY_DATA_DIR: place("data"),
	};
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

	async function run(block: string | undefined) {
		assert.ok(block);
		const isOfServer = /^(?:pg_|cp )/.test(block);
		return promisify(execFile)("bash", ["-euo", "pipefail", "-c", block], {
			env,
			cwd: folder.path,
			...(isOfServer ? owner : {}),
		});
	}

	before(async () => {
		for (const name of ["archive", "owned", "offsite", "bin"]) mkdirSync(place(name));
		if (owner !== undefined)
			for (const name of ["archive", "owned"]) chownSync(place(name), owner.uid, owner.gid);
		chmodSync(folder.path, 0o711);
		writeFileSync(place("passphrase"), "a long passphrase\n", { mode: 0o600 });
		const entry = join(ROOT, "bin/latchkey.js");
		writeFileSync(place("bin/latchkey"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, {
			mode: 0o755,
		});
		server = await startUniquePostgres();
		env.DATABASE = server.url;
		env.LATCHKEY_DATABASE_URL = server.url;
		env.PGPORT = new URL(server.url).port;
		const archive = place("archive");
		for (const setting of [
			"archive_mode = on",
			`archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
			`unix_socket_directories = '${place("owned")}'`,
		])
			await ask(`ALTER SYSTEM SET ${setting}`);
		await stopServer();
		await server.start();
		service = await startTestService({
			env: {
				LATCHKEY_DATABASE_URL: server.url,
				LATCHKEY_MASTER_KEY: env.LATCHKEY_MASTER_KEY as string,
			},
		});
	});
	after(async () => {
		await service?.stop();
		await promisify(execFile)(
			"pg_ctl",
			["--pgdata", env.RECOVERED as string, "--mode", "immediate", "stop"],
			{
				env,
				cwd: folder.path,
				...owner,
			},
		).catch(() => undefined);
		await server?.remove();
		folder[Symbol.dispose]();
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
		const { stdout } = await run(BLOCKS[0]);
		assert.match(stdout, /^the backup can be restored$/m);
	});

	test("recovers to a point in time, fenced, with whole trails", async () => {
		await run(BLOCKS[1]);
		const { username: kept } = await addPerson(service, "kept");
		const [{ now = "" } = {}] = await ask("SELECT clock_timestamp()::text AS now");
		env.TARGET = String(now);
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

		await run(BLOCKS[2]).catch(async (error: unknown) => {
			throw new Error(readFileSync(`${env.RECOVERED}/recovery.log`, "utf8"), { cause: error });
		});
		const isPrimary = "SELECT 1 WHERE NOT pg_is_in_recovery()";
		while ((await ask(isPrimary)).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
		const { stdout } = await run(BLOCKS[3]);
		assert.match(stdout, /^default: ok, [1-9]\d* events/m);
		const names = (await ask("SELECT username FROM users")).map(({ username }) => username);
		assert.ok(names.includes(kept), "a user from before the time is lost");
		assert.ok(!names.includes(lost), "a user from after the time is there");
		assert.deepEqual(await ask("SELECT id FROM sessions"), []);
	});
});
