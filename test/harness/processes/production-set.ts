// Starts what deploy/compose/production starts, as processes: its files with other paths, ports, and host names.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { postgresPrograms, serverOwner } from "../databases/own-postgres.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { startNginx } from "../proxies/nginx.ts";
import type { ReverseProxy } from "../proxies/reverse-proxy.ts";
import { temporaryFolder } from "../runs/folder.ts";
import { ADMIN } from "../service/service.ts";
import { freePorts, type ReadyProgram, startProgram } from "./program.ts";
import { deliveredConfig, type ServerProcess, startServerProcess } from "./server-process.ts";

const SET = "compose/production";
const DELIVERED = join(import.meta.dirname, "../../../deploy", SET);
const POSTGRES = ["postgres-1", "postgres-2"] as const;
const REDIS = ["redis-1", "redis-2"] as const;
const SENTINELS = ["sentinel-1", "sentinel-2", "sentinel-3"] as const;
const SERVERS = [...POSTGRES, ...REDIS, ...SENTINELS];

export type PostgresName = (typeof POSTGRES)[number];
export type RedisName = (typeof REDIS)[number];
type ServerName = (typeof SERVERS)[number];
type Changes = readonly (readonly [string, string])[];

export interface ProductionSet {
	readonly nodes: readonly ReadyProgram[];
	readonly proxy: ReverseProxy;
	/** The folder of the set, with its secrets. */
	readonly folder: string;
	/** The variables with which `psql` connects to the server, as inside of its container. */
	inside(name: PostgresName): Record<string, string>;
	portOf(name: RedisName): number;
	/** Kills the server. */
	kill(name: PostgresName | RedisName): Promise<void>;
	/** Starts a server again after it was killed. */
	restart(name: RedisName): Promise<void>;
	/** Starts an empty server as a standby of the other. */
	startStandby(name: PostgresName, standbyOf: PostgresName): Promise<void>;
	remove(): Promise<void>;
}

/** Resolves when the nodes are ready. Requires root, as `make-secrets.sh` does. */
export async function startProductionSet(): Promise<ProductionSet> {
	const set = await openSet();
	try {
		const { initialize, start, inside } = postgresOf(set);
		await initialize();
		await start("postgres-1");
		await start("postgres-2", "postgres-1");
		for (const name of [...REDIS, ...SENTINELS]) await startRedis(set, name);
		const nodes = await startNodes(set);
		const proxy = await startNginx(nodes.map(({ httpUrl }) => ({ port: Number(new URL(httpUrl).port) })));
		set.closing.push(() => proxy.remove());
		const { folder, portOf, kill, remove } = set;
		const restart = (name: RedisName): Promise<void> => startRedis(set, name);
		return { nodes, proxy, folder, inside, portOf, kill, restart, startStandby: start, remove };
	} catch (error) {
		await set.remove();
		throw error;
	}
}

type OpenSet = Awaited<ReturnType<typeof openSet>>;

/** A copy of the set with its secrets, in which nothing runs. */
async function openSet() {
	const root = temporaryFolder();
	const folder = join(root.path, "set");
	const closing: (() => unknown)[] = [() => root[Symbol.dispose]()];
	const running = new Map<string, ServerProcess>();
	const found = await freePorts(SERVERS.length);
	const ports = new Map<string, number>(SERVERS.map((name, index) => [name, found[index] as number]));
	// The user of PostgreSQL enters its own folders in it.
	chmodSync(root.path, 0o711);
	cpSync(DELIVERED, folder, { recursive: true });
	await promisify(execFile)(join(folder, "make-secrets.sh"));
	const compose = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true });
	return {
		folder,
		closing,
		secret: (name: string): string => join(folder, "secrets", name),
		/** Where the containers have their secrets, and where the processes have them. */
		secrets: ["/run/secrets/", `${folder}/secrets/`] as const,
		portOf: (name: ServerName): number => ports.get(name) as number,
		environmentOf: (name: string): Record<string, string> => compose.services[name].environment,
		commandOf: (name: string): string[] => compose.services[name].command,
		/** Writes a file of the set with these changes. @returns its path */
		changed(path: string, name: string, changes: Changes): string {
			const file = join(folder, name);
			writeFileSync(file, deliveredConfig(`${SET}/${path}`, changes), { mode: 0o755 });
			return file;
		},
		async start(name: ServerName, args: readonly string[], env: Record<string, string>): Promise<void> {
			const isPostgres = name.startsWith("postgres");
			const owner = isPostgres ? serverOwner() : undefined;
			const port = ports.get(name) as number;
			const path = { PATH: `${postgresPrograms()}:${process.env.PATH}` };
			const options = { port, env: { ...path, ...env }, ...(owner && { owner }) };
			const server = await startServerProcess("sh", args, options);
			running.set(name, server);
			closing.push(() => {
				// The signal of the image: PostgreSQL would wait for its clients after SIGTERM.
				if (isPostgres) server.signal("SIGINT");
				return server.end();
			});
		},
		async kill(name: ServerName): Promise<void> {
			running.get(name)?.signal("SIGKILL");
			await running.get(name)?.exited;
		},
		async remove(): Promise<void> {
			for (const close of closing.reverse()) await close();
		},
	};
}

function postgresOf({ folder, secret, secrets, portOf, environmentOf, commandOf, changed, start }: OpenSet) {
	const owner = serverOwner();
	const database = join(folder, "databases");
	mkdirSync(database);
	if (owner !== undefined) {
		for (const path of [database, secret("postgres_password"), secret("replication_password")])
			chownSync(path, owner.uid, owner.gid);
		// The set gives the folder of secrets only to root; containers get single files of it.
		chmodSync(join(folder, "secrets"), 0o711);
	}
	const config = changed("postgres/postgresql.conf", "postgresql.conf", [
		["'*'", "'127.0.0.1'"],
		["/etc/postgresql/pg_hba.conf", join(folder, "postgres/pg_hba.conf")],
	]);
	const server = changed("postgres/server.sh", "server.sh", [
		secrets,
		["host=$STANDBY_OF", "host=127.0.0.1 port=$STANDBY_PORT"],
		['docker-entrypoint.sh "$@"', '"$@"'],
	]);
	const replication = changed("postgres/replication.sh", "replication.sh", [secrets]);
	const commandLine = (name: PostgresName): string[] => [
		...commandOf(name).map((word) => word.replace("/etc/postgresql/postgresql.conf", config)),
		...["-c", `port=${portOf(name)}`, "-c", `unix_socket_directories=${database}`],
	];
	const inside = (name: PostgresName) => ({ PGHOST: database, PGPORT: String(portOf(name)) });
	const environment = environmentOf("postgres-1");
	const PGDATA = join(database, "postgres-1");
	return {
		inside,
		/** What the entrypoint of the image does in an empty volume: a database, and then replication.sh. */
		async initialize(): Promise<void> {
			const { POSTGRES_USER: user = "", POSTGRES_DB: db = "", POSTGRES_INITDB_ARGS: more = "" } = environment;
			const options = `${commandLine("postgres-1").slice(1).join(" ")} -c listen_addresses=''`;
			const script = `
				initdb --username=${user} --pwfile="${secret("postgres_password")}" ${more} --no-sync
				pg_ctl --wait --options="${options}" --log="$PGDATA/init.log" start
				createdb --username=${user} ${db}
				"${replication}"
				pg_ctl --wait stop`;
			const path = { PATH: `${postgresPrograms()}:${process.env.PATH}` };
			const env = { ...environment, ...inside("postgres-1"), ...path, PGDATA };
			await promisify(execFile)("bash", ["--norc", "-euc", script], { ...owner, cwd: "/", env });
		},
		start: (name: PostgresName, standbyOf?: PostgresName): Promise<void> =>
			start(name, [server, ...commandLine(name)], {
				PGDATA: join(database, name),
				...(standbyOf && { STANDBY_OF: standbyOf, STANDBY_PORT: String(portOf(standbyOf)) }),
			}),
	};
}

/** Redis or a Sentinel; again with the configuration that it has noted. */
async function startRedis(set: OpenSet, name: RedisName | (typeof SENTINELS)[number]): Promise<void> {
	const { folder, secrets, portOf, environmentOf, commandOf, changed } = set;
	const [kind = ""] = commandOf(name);
	const data = join(folder, name);
	mkdirSync(data, { recursive: true });
	const listening = `port ${portOf(name)}\nbind 127.0.0.1`;
	const own: Changes =
		kind === "server"
			? [["port 6379", listening]]
			: [
					["port 26379", listening],
					["redis-1 6379", `127.0.0.1 ${portOf("redis-1")}`],
				];
	changed(`redis/${kind}.conf`, `${name}/delivered-${kind}.conf`, [["/data", data], ...own]);
	const script = changed("redis/redis.sh", `${name}/redis.sh`, [
		["/data/", `${data}/`],
		["/etc/redis/", `${data}/delivered-`],
		["%s 6379", `%s ${portOf("redis-1")}`],
		secrets,
	]);
	await set.start(name, [script, kind], {
		ADVERTISED: "127.0.0.1",
		...(environmentOf(name).REPLICA_OF && { REPLICA_OF: "127.0.0.1" }),
	});
}

/** Both nodes, with settings as in the example, and the secrets in files. */
async function startNodes(set: OpenSet): Promise<ReadyProgram[]> {
	const { folder, secret, secrets, portOf, environmentOf, closing } = set;
	const mail = await startMailServer();
	closing.push(() => mail.close());
	writeFileSync(secret("smtp_url"), mail.url);
	for (const name of ["database_url", "redis_url"]) {
		const text = readFileSync(secret(name), "utf8");
		const local = text.replaceAll(
			/\b([a-z]+-\d):\d+/g,
			(_, host: string) => `127.0.0.1:${portOf(host as ServerName)}`,
		);
		assert.notEqual(local, text);
		writeFileSync(secret(name), local);
	}
	const nodes: ReadyProgram[] = [];
	for (const name of ["latchkey-1", "latchkey-2"]) {
		const [port, metricsPort] = await freePorts(2);
		const settings = Object.entries(environmentOf(name)).map(([setting, value]) => [
			setting,
			value.replace(...secrets),
		]);
		const node = await startProgram({
			env: {
				...Object.fromEntries(settings),
				LATCHKEY_PUBLIC_URL: "https://auth.looms.test",
				LATCHKEY_MAIL_FROM: "accounts@looms.test",
				LATCHKEY_ADMIN_EMAIL: "admin@looms.test",
				LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
				LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
				LATCHKEY_PORT: String(port),
				LATCHKEY_METRICS_PORT: String(metricsPort),
				LATCHKEY_DATA_DIR: join(folder, name),
			},
		});
		closing.push(() => node.end());
		nodes.push(node);
	}
	return nodes;
}
