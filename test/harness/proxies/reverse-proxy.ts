// Options and interface of a reverse proxy that a test starts.

import { once } from "node:events";
import net from "node:net";
import type { SignedTarget } from "../access/signed-wire.ts";
import type { ServerProcess } from "../processes/server-process.ts";
import type { TestClock } from "../service/service.ts";

/** A node behind the proxy, on this machine. */
export interface Backend {
	/** The port of its plain HTTP listener. */
	readonly port: number;
}

export interface ReverseProxy {
	readonly httpPort: number;
	/** Uses a self-signed certificate for localhost. */
	readonly httpsPort: number;
	readonly process: ServerProcess;
	/** Stops the proxy and removes its folder. */
	remove(): Promise<void>;
}

/** Further replacements in the configuration of deploy/. */
export type ConfigChanges = readonly (readonly [from: string, to: string])[];

/** The address from which only the proxy calls the nodes; callers use 127.0.0.2 and others. */
export const PROXY_ADDRESS = "127.0.0.1";

/** Whether this machine has `::1`. */
export async function hasIpv6(): Promise<boolean> {
	const server = net.createServer();
	try {
		await once(server.listen(0, "::1"), "listening");
		return true;
	} catch {
		return false;
	} finally {
		server.close();
	}
}

/** A caller of the proxy with its own IP address and the service's clock. */
export function callerOf(
	proxy: Pick<ReverseProxy, "httpPort" | "httpsPort">,
	service: { readonly clock: Pick<TestClock, "now"> },
	address = "127.0.0.2",
): SignedTarget {
	const { httpPort, httpsPort } = proxy;
	const host = address === "::1" ? address : "127.0.0.1";
	return { httpPort, httpsPort, host, localAddress: address, clock: service.clock };
}
