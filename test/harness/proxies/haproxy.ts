// Starts HAProxy with the configuration in deploy/ in front of local nodes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../certificates/certificate.ts";
import { freePorts } from "../processes/program.ts";
import { deliveredConfig, skippedWithout, startServerProcess } from "../processes/server-process.ts";
import { type Backend, type ConfigChanges, hasIpv6, type ReverseProxy } from "./reverse-proxy.ts";

/** `false`, or the reason to skip tests with HAProxy; with `CI` set they never skip. */
export const HAPROXY_SKIPPED: false | string = skippedWithout("haproxy");

/** Listens with TLS and plain HTTP on free ports of 127.0.0.1 and, if available, `::1`; probes `/health`. */
export async function startHaproxy(
	backends: readonly Backend[],
	changes: ConfigChanges = [],
): Promise<ReverseProxy> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-haproxy-"));
	const [httpPort = 0, httpsPort = 0] = await freePorts(2);
	const { cert, key } = await makeCertificate("haproxy");
	const pem = join(folder, "latchkey.pem");
	writeFileSync(pem, `${cert.trim()}\n${key}`, { mode: 0o600 });
	const file = join(folder, "haproxy.cfg");
	writeFileSync(file, haproxyConfig({ httpPort, httpsPort, pem, backends, ipv6: await hasIpv6(), changes }));
	const process = await startServerProcess("haproxy", ["-db", "-f", file], { port: httpPort });
	return {
		httpPort,
		httpsPort,
		process,
		async remove() {
			// SIGTERM would wait for keep-alive connections.
			process.signal("SIGKILL");
			await process.exited;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export function haproxyConfig(options: {
	readonly httpPort: number;
	readonly httpsPort: number;
	/** A file with the certificate and its key. */
	readonly pem: string;
	readonly backends: readonly Backend[];
	readonly ipv6: boolean;
	readonly changes?: ConfigChanges;
}): string {
	const bind = (port: number): string => `127.0.0.1:${port}${options.ipv6 ? `,[::1]:${port}` : ""}`;
	const servers = options.backends.map(({ port }, index) => `server node${index + 1} 127.0.0.1:${port}`);
	return deliveredConfig("haproxy/haproxy.cfg", [
		[":::80 v4v6", bind(options.httpPort)],
		[":::443 v4v6", bind(options.httpsPort)],
		["/etc/haproxy/latchkey.pem", options.pem],
		["server node1 latchkey-1:8080", servers.join("\n    ")],
		["    server node2 latchkey-2:8080\n", ""],
		...(options.changes ?? []),
	]);
}
