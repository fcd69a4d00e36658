// Finds the primaries that count requests: asks Sentinels or the nodes of a cluster, all at once.

import type { Redis } from "ioredis";
import { type RedisAddress, type RedisTarget, serverAt } from "./redis-address.ts";
import { authenticate, describe, openClient, within } from "./redis-connection.ts";

/** A primary and its slots. */
export interface Shard {
	readonly address: RedisAddress;
	/** First and last slot of each range. */
	readonly ranges: readonly (readonly [number, number])[];
}

/** What one contact reports. Of several reports, that with the highest epoch is the newest. */
interface Report {
	readonly epoch: number;
	readonly shards: readonly Shard[];
}

export const SLOTS = 16_384;
/** Leaves time to connect to the primary within the three seconds of a start. */
const ANSWER_TIMEOUT_MS = 800;

/**
 * Asks every contact, because one that a failure cut off still names the old primary. `known`: servers found before,
 * and also asks these about the cluster.
 *
 * @throws Error within a second when no contact knows; the message contains no password.
 */
export async function findShards(
	target: RedisTarget,
	known: readonly RedisAddress[] = [],
): Promise<readonly Shard[]> {
	const { kind, contacts } = target;
	if (kind === "server") return [{ address: contacts[0], ranges: [[0, SLOTS - 1]] }];
	const asked = kind === "cluster" ? [...contacts, ...known] : contacts;
	const unique = [...new Map(asked.map((contact) => [contact.shown, contact])).values()];
	const outcomes = await Promise.allSettled(unique.map((contact) => reportOf(target, contact)));
	let newest: Report | undefined;
	let reason = "";
	for (const outcome of outcomes) {
		if (outcome.status === "rejected") reason ||= describe(outcome.reason);
		else if (newest === undefined || outcome.value.epoch > newest.epoch) newest = outcome.value;
	}
	if (newest === undefined) throw new Error(reason);
	return newest.shards;
}

async function reportOf(target: RedisTarget, contact: RedisAddress): Promise<Report> {
	const { redis: client, reasonOf } = openClient(contact);
	try {
		return await within(
			ANSWER_TIMEOUT_MS,
			target.kind === "sentinel" ? askSentinel(client, target, contact) : askNode(client, target, contact),
		);
	} catch (error) {
		throw new Error(`${contact.shown}: ${reasonOf(error)}`);
	} finally {
		client.disconnect();
	}
}

/** A Sentinel often has no password although its Redis has one: it gets the password only if it asks for it. */
async function askSentinel(client: Redis, target: RedisTarget, contact: RedisAddress): Promise<Report> {
	const ask = async (): Promise<unknown> => client.call("SENTINEL", "MASTER", target.primaryName);
	await client.connect();
	const reply = await ask().catch(async (error: unknown) => {
		if (contact.password === undefined || !/^NOAUTH/.test(describe(error))) throw error;
		await authenticate(client, contact);
		return ask();
	});
	const fields = fieldsOf(reply);
	const [host, port] = [fields.get("ip"), Number(fields.get("port"))];
	if (!host || !(port > 0)) throw new Error("names no primary");
	return {
		epoch: Number(fields.get("config-epoch")),
		shards: [{ address: serverAt(target, host, port), ranges: [[0, SLOTS - 1]] }],
	};
}

/** Only a node that sees the majority of the cluster knows the primaries. */
async function askNode(client: Redis, target: RedisTarget, contact: RedisAddress): Promise<Report> {
	await client.connect();
	await authenticate(client, contact);
	const info = await client.cluster("INFO");
	const fields = new Map(info.split("\r\n").map((line) => line.split(":", 2) as [string, string]));
	if (fields.get("cluster_state") !== "ok") throw new Error("the cluster is not available");
	const shards = new Map<string, Shard & { ranges: [number, number][] }>();
	for (const [from, to, ...servers] of await client.cluster("SLOTS")) {
		const [primary] = servers;
		if (primary === undefined) continue;
		// An empty host means the host of the contact.
		const address = serverAt(target, primary[0] || contact.host, primary[1]);
		const shard = shards.get(address.shown) ?? { address, ranges: [] };
		shards.set(address.shown, shard);
		shard.ranges.push([from, to]);
	}
	if (shards.size === 0) throw new Error("the cluster has no slots");
	return { epoch: Number(fields.get("cluster_current_epoch")), shards: [...shards.values()] };
}

function fieldsOf(reply: unknown): Map<string, string> {
	const flat = Array.isArray(reply) ? reply.map(String) : [];
	return new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""] as const] : [])));
}

/** The slot of a key (CRC-16/XMODEM); of its part in braces, if it has one. */
export function slotOf(key: string): number {
	const open = key.indexOf("{");
	const close = open < 0 ? -1 : key.indexOf("}", open + 1);
	let crc = 0;
	for (const byte of Buffer.from(close > open + 1 ? key.slice(open + 1, close) : key)) {
		crc ^= byte << 8;
		for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
	}
	return crc % SLOTS;
}

/** A key of the shard, for a write that checks it: a server of a cluster accepts only keys of its slots. */
export function keyIn({ ranges }: Shard, prefix: string): string {
	for (let number = 0; ; number++) {
		const key = `${prefix}{${number}}:probe`;
		const slot = slotOf(key);
		if (ranges.some(([from, to]) => from <= slot && slot <= to)) return key;
	}
}
