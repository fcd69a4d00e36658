// Starts pgbouncer with the configuration in deploy/ in front of a local PostgreSQL server.

import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { freePorts } from "../processes/program.ts";
import {
	deliveredConfig,
	type ServerProcess,
	skippedWithout,
	startServerProcess,
} from "../processes/server-process.ts";
import { serverOwner } from "./own-postgres.ts";

/** `false`, or the reason to skip tests with pgbouncer; with `CI` set they never skip. */
export const PGBOUNCER_SKIPPED: false | string = skippedWithout("pgbouncer");

export interface PgbouncerPool {
	/** Client connections. */
	readonly cl_active: number;
	readonly cl_waiting: number;
	/** Server connections. */
	readonly sv_active: number;
	readonly sv_idle: number;
	readonly sv_used: number;
}

export interface Pgbouncer {
	/** The URL of the database through pgbouncer. */
	readonly url: string;
	/** Statistics of the database's pool; undefined before its first use. */
	pool(): Promise<PgbouncerPool | undefined>;
	/** Forwards to another server, under the connections of its clients. */
	pointTo(databaseUrl: string): Promise<void>;
	/** Kills pgbouncer, like a crash. */
	kill(): Promise<void>;
	/** Restarts on the same port. */
	start(): Promise<void>;
	remove(): Promise<void>;
}

/** @param databaseUrl of a server that trusts connections from this machine */
export async function startPgbouncer(
	databaseUrl: string,
	{
		mode = "transaction",
		poolSize = 20,
	}: { readonly mode?: "transaction" | "session"; readonly poolSize?: number } = {},
): Promise<Pgbouncer> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-pgbouncer-"));
	const [port = 0] = await freePorts(1);
	const target = new URL(databaseUrl);
	const name = target.pathname.slice(1);
	const configOf = (server: URL): string => pgbouncerConfig({ folder, port, target: server, mode, poolSize });
	const files = { "pgbouncer.ini": configOf(target), "userlist.txt": `"${target.username}" ""\n` };
	// Like PostgreSQL, pgbouncer refuses to run as root.
	const owner = serverOwner();
	for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
	for (const path of [folder, ...Object.keys(files).map((file) => join(folder, file))]) {
		if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
	}
	chmodSync(folder, 0o700);
	let process: ServerProcess | undefined;
	const at = (database: string): string => `postgres://${target.username}@127.0.0.1:${port}/${database}`;
	const start = async (): Promise<void> => {
		process = await startServerProcess("pgbouncer", [join(folder, "pgbouncer.ini")], {
			port,
			...(owner && { owner }),
		});
	};
	const kill = async (): Promise<void> => {
		process?.signal("SIGKILL");
		await process?.exited;
	};
	await start();
	return {
		url: at(name),
		async pool() {
			const pools: (PgbouncerPool & { readonly database: string })[] = await administer(
				at("pgbouncer"),
				"SHOW POOLS",
			);
			return pools.find(({ database }) => database === name);
		},
		async pointTo(url) {
			writeFileSync(join(folder, "pgbouncer.ini"), configOf(new URL(url)));
			await administer(at("pgbouncer"), "RELOAD");
		},
		kill,
		start,
		async remove() {
			await kill();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export function pgbouncerConfig(options: {
	readonly folder: string;
	readonly port: number;
	readonly target: URL;
	readonly mode: "transaction" | "session";
	readonly poolSize: number;
}): string {
	const { folder, port, target, mode, poolSize } = options;
	const name = target.pathname.slice(1);
	const text = deliveredConfig("pgbouncer/pgbouncer.ini", [
		[
			"latchkey = host=postgres port=5432 dbname=latchkey",
			`${name} = host=${target.hostname} port=${target.port} dbname=${name}`,
		],
		["listen_addr = 0.0.0.0", "listen_addr = 127.0.0.1"],
		["listen_port = 6432", `listen_port = ${port}`],
		["auth_type = scram-sha-256", "auth_type = trust"],
		["/etc/pgbouncer/userlist.txt", join(folder, "userlist.txt")],
		["pool_mode = transaction", `pool_mode = ${mode}`],
		["default_pool_size = 20", `default_pool_size = ${poolSize}`],
	]);
	return `${text}unix_socket_dir =\nadmin_users = ${target.username}\n`;
}

async function administer(url: string, command: string) {
	const client = new Client({ connectionString: url });
	await client.connect();
	try {
		return (await client.query(command)).rows;
	} finally {
		await client.end();
	}
}
