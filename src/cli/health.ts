// `latchkey health`: checks the health of the service with these settings on this machine. For container health checks.

import http from "node:http";
import https from "node:https";
import type { Config } from "../config/config.ts";
import { loopbackOf } from "../config/public-host.ts";
import { messageOf, StartError } from "../kernel/start-error.ts";
import { hostConsole } from "./host.ts";
import { loadNamedConfig } from "./installation.ts";
import { readReply, responseTo } from "./send-request.ts";

const TIMEOUT_MS = 4_000;

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

async function ask(config: Config): ReturnType<typeof readReply> {
	const host = loopbackOf(config.host);
	const port = config.port ?? config.httpsPort;
	// The certificate is for the public host, not this IP address.
	const client = config.port === null ? https : http;
	const options = { host, port, path: "/health", rejectUnauthorized: false, timeout: TIMEOUT_MS };
	const request = client.request(options);
	request.on("timeout", () => request.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
	try {
		return await readReply(await responseTo(request));
	} catch (cause) {
		throw new StartError(`${host}:${port} does not respond: ${messageOf(cause)}`, { cause, kind: "away" });
	}
}
