// Parses a `postgres://` URL, which may name several hosts as in libpq.

import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { SECOND_MS } from "../../kernel/clock.ts";
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
	readonly channelBinding: ChannelBinding;
	/** The longest attempt to connect to one host; undefined: the limits of the service alone. */
	readonly connectMs: number | undefined;
	readonly applicationName: string;
	/** The maximum number of open connections. */
	readonly poolSize: number;
	/** The address without credentials: `db1:5432,db2:5432/latchkey`. */
	readonly shown: string;
}

const CHANNEL_BINDINGS = ["disable", "prefer", "require"] as const;
/** Whether the proof of the password also proves the certificate of the server (SCRAM-SHA-256-PLUS), as in libpq. */
export type ChannelBinding = (typeof CHANNEL_BINDINGS)[number];

const SETTING = "LATCHKEY_DATABASE_URL";
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const HOST_PORT = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::([0-9]{1,5}))?$/;
const TLS_FILES = ["sslrootcert", "sslcert", "sslkey"] as const;
const PARAMETERS = [
	"sslmode",
	...TLS_FILES,
	"channel_binding",
	"connect_timeout",
	"target_session_attrs",
	"application_name",
	"pool_size",
] as const;
/** At least two: migrations hold one connection while they use another. */
const POOL_SIZE = { least: 2, most: 1_000, default: 20 };

/**
 * `postgres://user:password@host:5432,other:5432/name?…` with the parameters `sslmode` (`disable`, `require`,
 * `verify-ca`, `verify-full`), `sslrootcert`, `sslcert`, `sslkey` (PEM files), `channel_binding`, `connect_timeout`,
 * `target_session_attrs=read-write`, `application_name` and `pool_size`. Reads the PEM files.
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
		channelBinding: readChannelBinding(parameters),
		connectMs: readConnectMs(parameters.connect_timeout),
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

/** Of libpq and other drivers, for servers that may have TLS. Here, a connection is encrypted or it is not. */
const ENCRYPTED_MODES = ["allow", "prefer", "no-verify"];

/** As in libpq, `require` encrypts without verifying the server, unless there is a root certificate. */
function readTls(parameters: Parameters): ConnectionOptions | undefined {
	const mode = parameters.sslmode ?? "disable";
	if (mode === "disable") {
		const file = TLS_FILES.find((name) => parameters[name] !== undefined);
		if (file !== undefined) refuse(`gives ${file} without sslmode=verify-full`);
		return undefined;
	}
	if (mode !== "require" && mode !== "verify-ca" && mode !== "verify-full")
		refuse(
			ENCRYPTED_MODES.includes(mode)
				? `has sslmode=${mode}: write sslmode=require to encrypt without verifying the server, or verify-full`
				: "has an sslmode that is not disable, require, verify-ca or verify-full",
		);
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

/** As in libpq, `require` refuses a server that does not offer it, before a password is sent. */
function readChannelBinding({ channel_binding, sslmode = "disable" }: Parameters): ChannelBinding {
	if (channel_binding === undefined) return "disable";
	const known = CHANNEL_BINDINGS.find((each) => each === channel_binding);
	if (known === undefined) return refuse(`has a channel_binding that is not ${CHANNEL_BINDINGS.join(", ")}`);
	if (known === "require" && sslmode === "disable")
		refuse("has channel_binding=require without sslmode=require or verify-full");
	return known;
}

/** In seconds; 0 is no limit, as in libpq. */
function readConnectMs(text: string | undefined): number | undefined {
	if (text === undefined || text === "0") return undefined;
	if (!/^[1-9][0-9]{0,3}$/.test(text))
		refuse("has a connect_timeout that is not a whole number of seconds from 0 to 9999");
	return Number(text) * SECOND_MS;
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
