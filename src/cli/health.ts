// `latchkey health`: checks the health of the service with these settings on this machine. For container health checks.

import http from "node:http";
import https from "node:https";
import type { Config } from "../config/config.ts";
import { StartError } from "../kernel/start-error.ts";
import { hostConsole } from "./host.ts";
import { loadNamedConfig } from "./installation.ts";

const TIMEOUT_MS = 4_000;
/** Wildcard addresses, and the loopback address to connect to instead. */
const LOOPBACK: ReadonlyMap<string, string> = new Map([
	["0.0.0.0", "127.0.0.1"],
	["::", "::1"],
]);

/**
 * Prints the body of `GET /health`. With `live`, any response counts: restarting the service does not restore its
 * database.
 *
 * @throws StartError of kind `away` if there is no response within 4 s; without `live`, also when the status is not
 * 200.
 */
export async function health({ live = false }: { readonly live?: boolean }): Promise<void> {
	const { status, text } = await ask(loadNamedConfig());
	hostConsole().log(text);
	if (!live && status !== 200) throw new StartError(`/health returned ${status}`);
}

function ask(config: Config): Promise<{ readonly status: number; readonly text: string }> {
	const host = LOOPBACK.get(config.host) ?? config.host;
	const port = config.port ?? config.httpsPort;
	// The certificate is for the public host, not this IP address.
	const client = config.port === null ? https : http;
	const options = { host, port, path: "/health", rejectUnauthorized: false, timeout: TIMEOUT_MS };
	return new Promise((resolve, reject) => {
		const request = client.get(options, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", reject);
			response.on("end", () =>
				resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
			);
		});
		request.on("timeout", () => request.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
		request.on("error", (cause) =>
			reject(new StartError(`${host}:${port} does not respond: ${cause.message}`, { cause, kind: "away" })),
		);
	});
}
