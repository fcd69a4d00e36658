// Several Redis servers of a test: a primary with a replica and three Sentinels, or a cluster of three shards.

import { makeCertificate } from "../certificates/certificate.ts";
import { freePorts } from "../processes/program.ts";
import { type OwnRedis, type OwnRedisOptions, startOwnRedis } from "./own-redis.ts";

/** The documented rights of the user of the service, with `SELECT` for a database number. */
const RIGHTS =
	"~latchkey:* +eval +evalsha +time +lindex +llen +lpop +lrem +ltrim +rpush +del +pexpire +select +client|setname";

export interface RedisSet {
	readonly url: string;
	readonly primary: OwnRedis;
	readonly replica: OwnRedis;
	/** PEM file of the certificate of all servers. */
	readonly certFile: string;
	/** Resolves when the replica has become the primary. */
	promoted(): Promise<void>;
	remove(): Promise<void>;
}

/** With `user`, all servers use TLS and the service's own user; the default user has another password. */
export async function startSentinels(user?: {
	readonly name: string;
	readonly password: string;
}): Promise<RedisSet> {
	const isSecured = user !== undefined;
	const root = "root-password";
	const shared: OwnRedisOptions = isSecured ? { tls: true, certificate: await makeCertificate("redis") } : {};
	const secured = isSecured
		? [
				"--tls-replication",
				"yes",
				"--masterauth",
				root,
				"--user",
				...`${user.name} on >${user.password} ${RIGHTS}`.split(" "),
			]
		: [];
	const options = { ...shared, ...(isSecured && { password: root }) };
	const primary = await startOwnRedis({ ...options, more: secured });
	const replica = await startOwnRedis({
		...options,
		more: [...secured, "--replicaof", "127.0.0.1", String(primary.port)],
	});
	const lines = [
		`sentinel monitor main 127.0.0.1 ${primary.port} 2`,
		"sentinel down-after-milliseconds main 1000",
		"sentinel failover-timeout main 5000",
		...(isSecured ? [`sentinel auth-pass main ${root}`, "tls-replication yes"] : []),
	];
	const sentinels = await Promise.all(
		[1, 2, 3].map(() => startOwnRedis({ ...shared, sentinel: `${lines.join("\n")}\n` })),
	);
	await Promise.all(sentinels.map(awaitPeers));
	const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",");
	const credentials = isSecured ? `${user.name}:${encodeURIComponent(user.password)}@` : "";
	return {
		url: `${isSecured ? "rediss" : "redis"}+sentinel://${credentials}${hosts}/main`,
		primary,
		replica,
		certFile: primary.certFile,
		promoted: () => awaitReply(replica, async (client) => (await client.role())[0] === "master"),
		remove: () => removeAll([...sentinels, primary, replica]),
	};
}

export interface RedisCluster extends RedisSet {
	/** The primaries of the three shards; the first has the replica. */
	readonly primaries: readonly OwnRedis[];
}

const SHARDS = ["0-5460", "5461-10922", "10923-16383"];

export async function startCluster(user?: {
	readonly name: string;
	readonly password: string;
}): Promise<RedisCluster> {
	const certificate = await makeCertificate("redis");
	const options: OwnRedisOptions =
		user === undefined ? {} : { tls: true, certificate, password: "root-password" };
	const busPorts = await freePorts(SHARDS.length + 1);
	const servers = await Promise.all(
		busPorts.map((port) =>
			startOwnRedis({
				...options,
				more: [
					...["--cluster-enabled", "yes", "--cluster-port", String(port), "--cluster-node-timeout", "1000"],
					...(user === undefined
						? []
						: [
								...[
									"--tls-cluster",
									"yes",
									"--tls-replication",
									"yes",
									"--masterauth",
									"root-password",
									"--user",
								],
								...`${user.name} on >${user.password} ${RIGHTS} +cluster|info +cluster|slots`.split(" "),
							]),
				],
			}),
		),
	);
	const [primary, , , replica] = servers as [OwnRedis, OwnRedis, OwnRedis, OwnRedis];
	const call = (server: OwnRedis, ...words: string[]): Promise<unknown> =>
		ask(server, (client) => client.call("CLUSTER", ...words));
	for (const [at, server] of servers.entries()) {
		// Two nodes with the same epoch would first have to agree on another.
		await call(server, "SET-CONFIG-EPOCH", String(at + 1));
		if (at > 0) await call(server, "MEET", "127.0.0.1", String(primary.port), String(busPorts[0]));
		const [from = "", to = ""] = SHARDS[at]?.split("-") ?? [];
		if (from !== "") await call(server, "ADDSLOTSRANGE", from, to);
	}
	const id = String(await call(primary, "MYID"));
	await awaitReply(replica, (client) => client.cluster("INFO").then((info) => /known_nodes:4/.test(info)));
	await call(replica, "REPLICATE", id);
	await Promise.all(
		servers.map((server) =>
			awaitReply(server, (client) => client.cluster("INFO").then((info) => /cluster_state:ok/.test(info))),
		),
	);
	await awaitReply(replica, async (client) => /master_link_status:up/.test(await client.info("replication")));
	const hosts = servers.slice(1).map(({ port }) => `127.0.0.1:${port}`);
	const credentials = user === undefined ? "" : `${user.name}:${encodeURIComponent(user.password)}@`;
	return {
		url: `${user === undefined ? "redis" : "rediss"}+cluster://${credentials}${hosts.join(",")}`,
		primary,
		replica,
		primaries: servers.slice(0, SHARDS.length),
		certFile: primary.certFile,
		promoted: () => awaitReply(replica, async (client) => (await client.role())[0] === "master"),
		remove: () => removeAll(servers),
	};
}

type Client = ReturnType<OwnRedis["client"]>;

async function ask<T>(server: OwnRedis, question: (client: Client) => Promise<T>): Promise<T> {
	const client = server.client();
	try {
		await client.connect();
		return await question(client);
	} finally {
		client.disconnect();
	}
}

async function awaitReply(
	server: OwnRedis,
	isAsExpected: (client: Client) => Promise<boolean>,
): Promise<void> {
	const deadline = performance.now() + 30_000;
	while (!(await ask(server, isAsExpected).catch(() => false))) {
		if (performance.now() > deadline)
			throw new Error(`the server at port ${server.port} did not get there in 30 s`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** Until the Sentinel knows the replica and the other two. */
function awaitPeers(sentinel: OwnRedis): Promise<void> {
	return awaitReply(sentinel, async (client) => {
		const fields = ((await client.call("SENTINEL", "MASTER", "main")) as string[]).join(" ");
		return /num-slaves 1 num-other-sentinels 2/.test(fields);
	});
}

async function removeAll(servers: readonly OwnRedis[]): Promise<void> {
	await Promise.all(servers.map((server) => server.remove()));
}
