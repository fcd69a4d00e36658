// The ports the service is to listen on: tried before anything is made, and refused in words when they cannot be had.

import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { SETTINGS } from "../config/settings.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";

export interface WantedPort {
	/** The `LATCHKEY_*` name that set it. */
	readonly setting: string;
	/** 0 takes any free one. */
	readonly port: number;
}

/** The listeners that are on, in the order they are opened. */
export function wantedPorts({ port, httpsPort, metricsPort }: Config): WantedPort[] {
	const all = [
		{ setting: SETTINGS.port.name, port },
		{ setting: SETTINGS.httpsPort.name, port: httpsPort },
		{ setting: SETTINGS.metricsPort.name, port: metricsPort },
	];
	return all.filter((wanted): wanted is WantedPort => wanted.port !== null);
}

/**
 * Listens on each port for a moment. A first start that failed on its ports only after it had made the first admin
 * would have lost the password it shows once.
 *
 * @throws StartError for the first port that cannot be had.
 */
export async function checkPorts(host: string, ports: readonly WantedPort[]): Promise<void> {
	for (const { port } of ports) {
		try {
			await tryPort(host, port);
		} catch (error) {
			throw portError(host, ports, error);
		}
	}
}

/** Resolves when the port could be listened on; it is free again then. @throws the error of `listen`. */
export function tryPort(host: string, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", reject);
		server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
	});
}

/** What a failed `listen` means to the operator; any other error comes back as it is. */
export function portError(host: string, ports: readonly WantedPort[], error: unknown): unknown {
	if (!(error instanceof Error) || !("syscall" in error)) return error;
	const code = systemCode(error);
	const failed = "port" in error ? Number(error.port) : undefined;
	const wanted = ports.find(({ port }) => port === failed);
	const subject =
		wanted === undefined ? `host ${host}` : `port ${wanted.port} on ${host} (${wanted.setting})`;
	if (code === "EADDRINUSE")
		return new StartError(`${subject} is in use by another program`, { cause: error });
	if (code === "EACCES")
		return new StartError(`${subject} may not be opened by this user (EACCES)`, { cause: error });
	return new StartError(`${SETTINGS.host.name} ${host} cannot be listened on (${code})`, { cause: error });
}
