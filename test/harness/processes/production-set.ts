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
const run = promisify(execFile);
const POSTGRES = ["postgres-1", "postgres-2"] as const;
const REDIS = ["redis-1", "redis-2"] as const;
const SENTINELS = ["sentinel-1", "sentinel-2", "sentinel-3"] as const;

export type PostgresName = (typeof POSTGRES)[number];
export type RedisName = (typeof REDIS)[number];

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
	const root = temporaryFolder();
	const folder = join(root.path, "set");
	const owner = serverOwner();
	const closing: (() => unknown)[] = [() => root[Symbol.dispose]()];
	const remove = async (): Promise<void> => {
		for (const close of closing.reverse()) await close();
	};
	chmodSync(root.path, 0o711);
	cpSync(join(import.meta.dirname, "../../../deploy", SET), folder, { recursive: true });
	await run(join(folder, "make-secrets.sh"));
	const secret = (name: string): string => join(folder, "secrets", name);
	const compose = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true });
	const environmentOf = (name: string): Record<string, string> => compose.services[name].environment;
	const ports = new Map<string, number>();
	const names = [...POSTGRES, ...REDIS, ...SENTINELS];
	for (const [index, port] of (await freePorts(names.length)).entries())
		ports.set(names[index] as string, port);
	const portOf = (name: string): number => ports.get(name) as number;
	/** The path of a file of the set with these changes. */
	const changed = (path: string, name: string, changes: readonly (readonly [string, string])[]): string => {
		const file = join(folder, name);
		writeFileSync(file, deliveredConfig(`${SET}/${path}`, changes), { mode: 0o755 });
		return file;
	};
	const running = new Map<string, ServerProcess>();
	const start = async (
		name: string,
		command: string,
		args: readonly string[],
		env: Record<string, string>,
	) => {
		const isPostgres = name.startsWith("postgres");
		const server = await startServerProcess(command, args, {
			port: portOf(name),
			env: { PATH: `${postgresPrograms()}:${process.env.PATH}`, ...env },
			...(isPostgres && owner !== undefined && { owner }),
		});
		running.set(name, server);
		closing.push(() => {
			// The signal of the image: PostgreSQL would wait for its clients after SIGTERM.
			if (isPostgres) server.signal("SIGINT");
			return server.end();
		});
	};

	// PostgreSQL. In the set, the entrypoint of the image creates the database and runs replication.sh.
	const database = join(folder, "databases");
	mkdirSync(database);
	if (owner !== undefined) {
		for (const path of [database, secret("postgres_password"), secret("replication_password")])
			chownSync(path, owner.uid, owner.gid);
		// The set gives the folder of secrets only to root; containers get single files of it.
		chmodSync(join(folder, "secrets"), 0o711);
	}
	const hba = join(folder, "postgres/pg_hba.conf");
	const configFile = changed("postgres/postgresql.conf", "postgresql.conf", [
		["'*'", "'127.0.0.1'"],
		["/etc/postgresql/pg_hba.conf", hba],
	]);
	const secrets = ["/run/secrets/", `${folder}/secrets/`] as const;
	const serverScript = changed("postgres/server.sh", "server.sh", [
		secrets,
		["host=$STANDBY_OF", "host=127.0.0.1 port=$STANDBY_PORT"],
		['docker-entrypoint.sh "$@"', '"$@"'],
	]);
	const replicationScript = changed("postgres/replication.sh", "replication.sh", [secrets]);
	const dataOf = (name: string): string => join(database, name);
	const commandOf = (name: PostgresName): string[] => {
		const command: string[] = compose.services[name].command;
		const options = command.map((word) => word.replace("/etc/postgresql/postgresql.conf", configFile));
		return [...options, "-c", `port=${portOf(name)}`, "-c", `unix_socket_directories=${database}`];
	};
	const startPostgres = (name: PostgresName, standbyOf?: PostgresName): Promise<void> =>
		start(name, "sh", [serverScript, ...commandOf(name)], {
			PGDATA: dataOf(name),
			...(standbyOf && { STANDBY_OF: standbyOf, STANDBY_PORT: String(portOf(standbyOf)) }),
		});
	const inside = (name: PostgresName) => ({ PGHOST: database, PGPORT: String(portOf(name)) });
	const {
		POSTGRES_USER: user = "",
		POSTGRES_DB: db = "",
		POSTGRES_INITDB_ARGS: initdbArgs = "",
	} = environmentOf("postgres-1");
	const asOwner = (script: string): Promise<unknown> =>
		run("bash", ["--norc", "-euc", script], {
			...owner,
			cwd: "/",
			env: {
				...environmentOf("postgres-1"),
				...inside("postgres-1"),
				PATH: `${postgresPrograms()}:${process.env.PATH}`,
				PGDATA: dataOf("postgres-1"),
			},
		});

	// Redis and its Sentinels.
	const startRedis = async (name: string): Promise<void> => {
		const [kind = ""] = compose.services[name].command as string[];
		const data = join(folder, name);
		mkdirSync(data, { recursive: true });
		const own = ["/data", data] as const;
		const listening = `port ${portOf(name)}\nbind 127.0.0.1`;
		changed(
			`redis/${kind}.conf`,
			`${name}/delivered-${kind}.conf`,
			kind === "server"
				? [["port 6379", listening], own]
				: [["port 26379", listening], own, ["redis-1 6379", `127.0.0.1 ${portOf("redis-1")}`]],
		);
		const script = changed("redis/redis.sh", `${name}/redis.sh`, [
			["/data/", `${data}/`],
			["/etc/redis/", `${data}/delivered-`],
			["%s 6379", `%s ${portOf("redis-1")}`],
			secrets,
		]);
		const { REPLICA_OF: replicaOf } = environmentOf(name);
		await start(name, "sh", [script, kind], {
			ADVERTISED: "127.0.0.1",
			...(replicaOf && { REPLICA_OF: "127.0.0.1" }),
		});
	};
	try {
		await asOwner(
			`initdb --username=${user} --pwfile="${secret("postgres_password")}" ${initdbArgs} --no-sync`,
		);
		const options = commandOf("postgres-1").slice(1).join(" ");
		await asOwner(
			`pg_ctl --wait --options="${options} -c listen_addresses=''" --log="$PGDATA/init.log" start`,
		);
		await asOwner(`createdb --username=${user} ${db}`);
		await asOwner(replicationScript);
		await asOwner("pg_ctl --wait stop");
		await startPostgres("postgres-1");
		await startPostgres("postgres-2", "postgres-1");

		for (const name of [...REDIS, ...SENTINELS]) await startRedis(name);

		// The nodes, with the settings of the example and the secrets in files.
		const mail = await startMailServer();
		closing.push(() => mail.close());
		const onThisMachine = (text: string): string =>
			names.reduce(
				(so, name) => so.replace(new RegExp(`\\b${name}:\\d+`), `127.0.0.1:${portOf(name)}`),
				text,
			);
		for (const name of ["database_url", "redis_url"]) {
			const text = readFileSync(secret(name), "utf8");
			assert.notEqual(onThisMachine(text), text);
			writeFileSync(secret(name), onThisMachine(text));
		}
		writeFileSync(secret("smtp_url"), mail.url);
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
		const proxy = await startNginx(nodes.map(({ httpUrl }) => ({ port: Number(new URL(httpUrl).port) })));
		closing.push(() => proxy.remove());
		return {
			nodes,
			proxy,
			folder,
			inside,
			portOf,
			async kill(name) {
				running.get(name)?.signal("SIGKILL");
				await running.get(name)?.exited;
			},
			restart: startRedis,
			startStandby: startPostgres,
			remove,
		};
	} catch (error) {
		await remove();
		throw error;
	}
}
