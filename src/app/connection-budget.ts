// How many connections the file descriptors of the process allow: others are kept for the database and outgoing calls.

import { readdirSync, readFileSync } from "node:fs";
import { parsePostgresUrl } from "../adapters/postgres/postgres-address.ts";
import type { Config } from "../config/config.ts";

/** Files of the embedded database that are opened for a moment: journals, its mark, the folder. */
const FILES = 8;
/** Mail, webhooks, Redis, and identity providers, of which each sign-in waits for one: a tenth of the limit, within these. */
const OUTGOING_MIN = 40;
const OUTGOING_MAX = 250;
/** Of a running service without connections, as far as the doctor can know. */
const TYPICAL_IN_USE = 32;
/** With fewer, browsers with six connections each would disconnect each other. */
const CONNECTIONS_MIN = 8;

export interface ConnectionBudget {
	/** The soft limit on descriptors (`ulimit -n`). Undefined without one, as on Windows. */
	readonly descriptors: number | undefined;
	/** Open connections in total; 0 = no limit. */
	readonly connections: number;
}

interface Descriptors {
	readonly limit: number;
	/** Open before the first connection. */
	readonly inUse: number;
}

/**
 * The configured number of connections, or fewer if the descriptors do not suffice. Of scarce descriptors, half are kept:
 * without one, every write fails while connections are still accepted.
 */
export function connectionBudget(
	{ maxConnections, databaseUrl }: Pick<Config, "maxConnections" | "databaseUrl">,
	descriptors: Descriptors | undefined,
): ConnectionBudget {
	if (descriptors === undefined) return { descriptors: undefined, connections: maxConnections };
	const { limit, inUse } = descriptors;
	const free = Math.max(0, limit - inUse);
	const outgoing = Math.min(OUTGOING_MAX, Math.max(OUTGOING_MIN, Math.ceil(limit / 10)));
	const needed = outgoing + (databaseUrl === null ? FILES : parsePostgresUrl(databaseUrl).poolSize);
	const possible = Math.max(CONNECTIONS_MIN, free - Math.min(needed, Math.ceil(free / 2)));
	const isEnough = maxConnections !== 0 && maxConnections <= possible;
	return { descriptors: limit, connections: isEnough ? maxConnections : possible };
}

/** Of this process, now. */
export function descriptorsInUse(): Descriptors | undefined {
	const limit = descriptorLimit();
	return limit === undefined ? undefined : { limit, inUse: openDescriptors() };
}

/** Of a service that is started like this process. */
export function descriptorsOfService(): Descriptors | undefined {
	const limit = descriptorLimit();
	return limit === undefined ? undefined : { limit, inUse: TYPICAL_IN_USE };
}

/** Node raises the soft limit to the hard one when it starts. */
function descriptorLimit(): number | undefined {
	const found = process.platform === "linux" ? limitOfProcess() : limitOfReport();
	const limit = Number(found);
	return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}

function limitOfProcess(): string | undefined {
	try {
		return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
	} catch {
		return limitOfReport();
	}
}

function limitOfReport(): string | undefined {
	const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
	return String(report.userLimits?.open_files?.soft);
}

function openDescriptors(): number {
	try {
		return readdirSync("/dev/fd").length;
	} catch {
		return TYPICAL_IN_USE;
	}
}
