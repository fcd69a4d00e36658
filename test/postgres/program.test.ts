// The program on PostgreSQL: refused starts, and commands beside a running service.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { examine } from "../../src/ops/doctor/examine.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase } from "../harness/databases/test-engine.ts";
import { runCommand } from "../harness/processes/command.ts";
import { freePorts, startProgram } from "../harness/processes/program.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const MASTER_KEY = Buffer.alloc(32, 9).toString("base64");

describe("latchkey on PostgreSQL", { skip: POSTGRES_SKIPPED }, () => {
	let port: number;
	setup(async () => {
		[port = 0] = await freePorts(1);
	});
	const database = fixture(() => createPostgresDatabase({ migrated: false }), "drop");

	const settings = (dataDir: string): Record<string, string> => ({
		LATCHKEY_DATA_DIR: dataDir,
		LATCHKEY_DATABASE_URL: database.url,
		LATCHKEY_MASTER_KEY: MASTER_KEY,
		LATCHKEY_BCRYPT_COST: "10",
		LATCHKEY_PORT: String(port),
		LATCHKEY_HTTPS_PORT: "0",
	});

	test("refuses an invalid start in one line and creates nothing", async () => {
		using folder = temporaryFolder();
		const dataDir = `${folder.path}/data`;
		const { LATCHKEY_MASTER_KEY: _, ...keyless } = settings(dataDir);
		const starts: readonly (readonly [Record<string, string>, RegExp])[] = [
			[keyless, /^LATCHKEY_DATABASE_URL is set without LATCHKEY_MASTER_KEY/],
			[
				{ ...settings(dataDir), LATCHKEY_DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" },
				/^database 127\.0\.0\.1:1\/x cannot be used: connect ECONNREFUSED/,
			],
			[
				{ ...settings(dataDir), LATCHKEY_DATABASE_URL: `${database.url}?sslmode=maybe` },
				/^LATCHKEY_DATABASE_URL has an sslmode that is not/,
			],
		];
		for (const [env, line] of starts) {
			const { code, stderr } = await runCommand(["serve"], { env });
			assert.equal(code, /ECONNREFUSED/.test(stderr) ? 6 : 1);
			assert.match(stderr.replace(/^latchkey: /, ""), line);
			assert.equal(stderr.trim().split("\n").length, 1, stderr);
			assert.ok(!stderr.includes("hunter2"));
		}
		assert.equal(existsSync(dataDir), false);
	});

	test("starts without a database file, and commands work beside it", async () => {
		using folder = temporaryFolder();
		const env = settings(`${folder.path}/data`);
		const program = await startProgram({ env });
		try {
			assert.match(program.stdout(), /first admin: admin {2}password: /);
			assert.equal(existsSync(`${folder.path}/data/latchkey.db`), false);
			assert.equal(existsSync(`${folder.path}/data/master.key`), false);
			const created = await runCommand(
				["admin", "create", "--username", "second", "--email", "second@example.com"],
				{ env },
			);
			assert.equal(created.code, 0, created.stderr);
			const audit = await runCommand(["audit", "verify"], { env });
			assert.match(audit.stdout, /^default: ok, \d+ events/);
			const doctor = await runCommand(["doctor"], { env });
			assert.match(doctor.stdout, /ok +database +the server responds/);
			assert.match(doctor.stdout, /ok +secrets +the master key decrypts them/);
			const other = await runCommand(["doctor"], {
				env: { ...env, LATCHKEY_MASTER_KEY: Buffer.alloc(32, 8).toString("base64") },
			});
			assert.match(other.stdout, /fail +secrets/);
		} finally {
			await program.end();
		}
		const clockAt = async (aheadMs: number): Promise<string> => {
			for await (const { name, status, detail } of examine(
				() => loadConfig(env),
				() => Date.now() + aheadMs,
				undefined,
			))
				if (name === "clock") return `${status} ${detail}`;
			return "";
		};
		assert.match(await clockAt(0), /^ok /);
		assert.match(await clockAt(90_000), /^fail \S+ differs from the clock of PostgreSQL by (89|9\d) s: /);
		assert.match(await clockAt(-90_000), /^fail \S+ differs from the clock of PostgreSQL by (89|9\d) s: /);
		const again = await runCommand(["migrate"], { env });
		assert.match(again.stdout, /^schema \d+ is up to date/);
	});
});
