// Empty data directories and databases on either engine, for tests that move an installation.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "../../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { openSqlite } from "../../../src/adapters/sqlite/sqlite.ts";
import { createLog } from "../../../src/app/log.ts";
import { type Service, startService } from "../../../src/app/service.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { createPostgresDatabase } from "../databases/test-engine.ts";
import { type CommandOptions, runCommand } from "../processes/command.ts";
import type { Exit } from "../processes/program.ts";
import { startTestService, type TestOptions, type TestService } from "./service.ts";

export type EngineName = Engine["name"];

/** The default master key of all places. */
export const MASTER_KEY = Buffer.alloc(32, 5).toString("base64");

export interface Place {
	readonly engine: EngineName;
	readonly dataDir: string;
	/** Settings of the service and of every command. */
	readonly env: Readonly<Record<string, string>>;
	serve(options?: Pick<TestOptions, "atMs" | "env" | "metrics">): Promise<TestService>;
	/** Runs a command in this process. */
	run(args: readonly string[], options?: CommandOptions): Promise<Exit>;
	/** The URL of the PostgreSQL database; undefined for the embedded one. */
	readonly databaseUrl: string | undefined;
	/** Opens the database, with or without a running service. Close it after use. */
	open(): Promise<Engine>;
	remove(): Promise<void>;
}

/** An empty place without a folder or tables. */
export async function makePlace(engine: EngineName): Promise<Place> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-place-"));
	const dataDir = join(folder, "data");
	const database = engine === "postgres" ? await createPostgresDatabase({ migrated: false }) : undefined;
	const env = {
		LATCHKEY_MASTER_KEY: MASTER_KEY,
		...(database !== undefined && { LATCHKEY_DATABASE_URL: `${database.url}?pool_size=6` }),
	};
	return {
		engine,
		dataDir,
		env: { ...env, LATCHKEY_DATA_DIR: dataDir },
		databaseUrl: database?.url,
		serve: (options = {}) => startTestService({ ...options, env: { ...env, ...options.env }, dataDir }),
		run: (args, options = {}) =>
			runCommand(args, { ...options, env: { ...env, LATCHKEY_DATA_DIR: dataDir, ...options.env } }),
		open: async () =>
			database === undefined
				? openSqlite(join(dataDir, "latchkey.db"))
				: openPostgres(`${database.url}?pool_size=2`),
		async remove() {
			rmSync(folder, { recursive: true, force: true });
			await database?.drop();
		},
	};
}

/** Serves an installation in this process on the ports of `env`, which commands use too. */
export function serveInstallation(env: Readonly<Record<string, string>>): Promise<Service> {
	const config = loadConfig(env);
	return startService(config, { log: createLog("fatal") });
}

/** Creates the data directory, keys, certificate, database, and first admin with a first start, then stops. */
export async function makeInstallation(env: Readonly<Record<string, string>>): Promise<void> {
	const service = await serveInstallation(env);
	await service.stop();
}
