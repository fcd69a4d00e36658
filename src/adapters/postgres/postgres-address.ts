// Parses a `postgres://` URL, which may name several hosts as in libpq.

import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { StartError, systemCode } from "../../kernel/start-error.ts";

export interface PostgresHost {
	/** A name, an IP address, or the directory of a Unix socket. */
	readonly host: string;
	readonly port: number;
}

export interface PostgresAddress {
	/** In the order of the URL; at least one. */
	readonly hosts: readonly PostgresHost[];
	readonly user: string;
	readonly password: string | undefined;
	readonly database: string;
	/** Undefined without TLS. */
	readonly tls: ConnectionOptions | undefined;
	readonly applicationName: string;
	/** The maximum number of open connections. */
	readonly poolSize: number;
	/** The address without credentials: `db1:5432,db2:5432/latchkey`. */
	readonly shown: string;
}

const SETTING = "LATCHKEY_DATABASE_URL";
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const HOST_PORT = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::([0-9]{1,5}))?$/;
const TLS_FILES = ["sslrootcert", "sslcert", "sslkey"] as const;
const PARAMETERS = [
	"sslmode",
	...TLS_FILES,
	"target_session_attrs",
	"application_name",
	"pool_size",
] as const;
/** At least two: migrations hold one connection while they use another. */
const POOL_SIZE = { least: 2, most: 1_000, default: 20 };

/**
 * `postgres://user:password@host:5432,other:5432/name?…` with the parameters `sslmode` (`disable`, `require`,
 * `verify-ca`, `verify-full`), `sslrootcert`, `sslcert`, `sslkey` (PEM files), `target_session_attrs=read-write`,
 * `application_name` and `pool_size`. Reads the PEM files.
 *
 * @throws StartError in one line, without the password.
 */
export function parsePostgresUrl(text: string): PostgresAddress {
	const [, credentials = "", hostList = "", name = "", query = ""] =
		URL_PARTS.exec(text) ?? refuse("must be postgres://user:password@host:5432/name");
	const colon = credentials.indexOf(":");
	const user = decode(colon < 0 ? credentials : credentials.slice(0, colon)) || "postgres";
	const hosts = hostList.split(",").map(parseHost);
	const parameters = readParameters(query);
	const database = decode(name) || user;
	return {
		hosts,
		user,
		password: colon < 0 ? undefined : decode(credentials.slice(colon + 1)),
		database,
		tls: readTls(parameters),
		applicationName: parameters.application_name ?? "latchkey",
		poolSize: readPoolSize(parameters.pool_size),
		shown: `${hosts.map(({ host, port }) => `${host}:${port}`).join(",")}/${database}`,
	};
}

function parseHost(text: string): PostgresHost {
	const [, host = "", port = "5432"] =
		HOST_PORT.exec(text) ?? refuse(`names no host in ${JSON.stringify(text)}`);
	const number = Number(port);
	if (number < 1 || number > 65_535) refuse(`has no port ${port}`);
	return { host: decode(host.replaceAll(/[[\]]/g, "")), port: number };
}

type Parameters = { readonly [K in (typeof PARAMETERS)[number]]?: string };

function readParameters(query: string): Parameters {
	const values: Record<string, string> = {};
	for (const [name, value] of new URLSearchParams(query)) {
		if (!PARAMETERS.some((known) => known === name))
			refuse(`has the parameter ${JSON.stringify(name)}; known are ${PARAMETERS.join(", ")}`);
		if (name in values) refuse(`gives ${name} twice`);
		values[name] = value;
	}
	const attributes = values.target_session_attrs;
	// Only a server that accepts writes is ever used, with or without this parameter.
	if (attributes !== undefined && attributes !== "read-write" && attributes !== "primary")
		refuse("has a target_session_attrs that is not read-write");
	return values;
}

/** As in libpq, `require` encrypts without verifying the server, unless there is a root certificate. */
function readTls(parameters: Parameters): ConnectionOptions | undefined {
	const mode = parameters.sslmode ?? "disable";
	if (mode === "disable") {
		const file = TLS_FILES.find((name) => parameters[name] !== undefined);
		if (file !== undefined) refuse(`gives ${file} without sslmode=verify-full`);
		return undefined;
	}
	if (mode !== "require" && mode !== "verify-ca" && mode !== "verify-full")
		refuse("has an sslmode that is not disable, require, verify-ca or verify-full");
	const ca = readPem(parameters, "sslrootcert");
	const cert = readPem(parameters, "sslcert");
	const key = readPem(parameters, "sslkey");
	if ((cert === undefined) !== (key === undefined)) refuse("has one of sslcert and sslkey without the other");
	return {
		rejectUnauthorized: mode !== "require" || ca !== undefined,
		...(mode !== "verify-full" && { checkServerIdentity: () => undefined }),
		...(ca !== undefined && { ca }),
		...(cert !== undefined && { cert }),
		...(key !== undefined && { key }),
	};
}

function readPem(parameters: Parameters, name: (typeof TLS_FILES)[number]): string | undefined {
	const file = parameters[name];
	if (file === undefined) return undefined;
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		return refuse(`names a file in ${name} that cannot be read (${systemCode(error)}): ${file}`);
	}
}

function readPoolSize(text: string | undefined): number {
	if (text === undefined) return POOL_SIZE.default;
	const size = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
	if (size < POOL_SIZE.least || size > POOL_SIZE.most)
		refuse(`has a pool_size that is not a whole number from ${POOL_SIZE.least} to ${POOL_SIZE.most}`);
	return size;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return refuse("is not percent-encoded correctly");
	}
}

/** The URL itself is never shown: it holds a password. */
function refuse(complaint: string): never {
	throw new StartError(`${SETTING} ${complaint}`);
}
