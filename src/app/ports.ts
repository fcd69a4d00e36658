// Checks the ports of the listeners before a start changes anything, and warns about plain HTTP that clients cannot or
// should not use.

import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { isPlainPublicUrl, publicHost } from "../config/public-host.ts";
import { SETTINGS } from "../config/settings.ts";
import { addressOfHost } from "../kernel/address-rule.ts";
import { isThisMachine } from "../kernel/ip.ts";
import type { Log } from "../kernel/log.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";

export interface ListeningPort {
	/** The `LATCHKEY_*` name that set it. */
	readonly setting: string;
	/** 0 takes any free one. */
	readonly port: number;
}

/** The listeners that are on, in the order they are opened. */
export function listeningPorts({ port, httpsPort, metricsPort }: Config): ListeningPort[] {
	const all = [
		{ setting: SETTINGS.port.name, port },
		{ setting: SETTINGS.httpsPort.name, port: httpsPort },
		{ setting: SETTINGS.metricsPort.name, port: metricsPort },
	];
	return all.filter((entry): entry is ListeningPort => entry.port !== null);
}

/**
 * Opens and closes each port. Without this check, a first start that fails on a port after creating the first admin
 * would lose the password, which is shown only once.
 *
 * @throws StartError for the first port that cannot be opened.
 */
export async function checkPorts(host: string, ports: readonly ListeningPort[]): Promise<void> {
	for (const { port } of ports) {
		try {
			await tryPort(host, port);
		} catch (error) {
			throw startFailure(host, ports, error);
		}
	}
}

/** Opens the port and closes it again. @throws the error of `listen` */
export function tryPort(host: string, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", reject);
		server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
	});
}

/** The system calls that open a listener, including the lookup of a host name. */
const LISTEN_CALLS = ["listen", "bind", "getaddrinfo"];

/** The StartError for a failed `listen`, or for a file that a start cannot use; returns any other error unchanged. */
export function startFailure(host: string, ports: readonly ListeningPort[], error: unknown): unknown {
	if (!(error instanceof Error) || !("syscall" in error)) return error;
	const code = systemCode(error);
	if (!LISTEN_CALLS.includes(String(error.syscall)))
		return "path" in error
			? new StartError(`${error.path} cannot be used (${error.syscall}: ${code})`, { cause: error })
			: error;
	const failed = "port" in error ? Number(error.port) : undefined;
	const entry = ports.find(({ port }) => port === failed);
	const subject = entry === undefined ? `host ${host}` : `port ${entry.port} on ${host} (${entry.setting})`;
	if (code === "EADDRINUSE")
		return new StartError(`${subject} is in use by another program`, { cause: error });
	if (code === "EACCES")
		return new StartError(`${subject} may not be opened by this user (EACCES)`, { cause: error });
	return new StartError(`${SETTINGS.host.name} ${host} cannot be used by a listener (${code})`, {
		cause: error,
	});
}

/**
 * Warns when plain HTTP is open to machines whose requests will be refused. No warning with trusted proxies or allowed
 * networks, which make plain HTTP usable.
 *
 * @param httpPort null while HTTP is off.
 */
export function warnOfPlainHttp(config: Config, httpPort: number | null, log: Log): void {
	if (httpPort === null || config.trustedProxies.length > 0 || config.plainHttpNetworks.length > 0) return;
	const address = addressOfHost(config.host);
	if (address !== undefined && isThisMachine(address)) return;
	log.warn(
		{ host: config.host, port: httpPort },
		"other machines that call the API over plain HTTP get status 426: use HTTPS, or add the proxy that terminates TLS to LATCHKEY_TRUSTED_PROXIES",
	);
}

/** Warns when links in mail and redirects lead other machines to plain HTTP. */
export function warnOfPlainPublicUrl(config: Config, log: Log): void {
	if (!isPlainPublicUrl(config)) return;
	log.warn(
		{ host: publicHost(config) },
		"LATCHKEY_PUBLIC_URL is an http URL: passwords and tokens are sent in clear text, and browsers offer no passkeys; use https",
	);
}
