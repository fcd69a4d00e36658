// Starts nginx with the configuration in deploy/ in front of local nodes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CertificateFilePair, makeCertificate, putCertificate } from "../certificates/certificate.ts";
import { freePorts } from "../processes/program.ts";
import { deliveredConfig, skippedWithout, startServerProcess } from "../processes/server-process.ts";
import { type Backend, type ConfigChanges, hasIpv6, type ReverseProxy } from "./reverse-proxy.ts";

/** `false`, or the reason to skip tests with nginx; with `CI` set they never skip. */
export const NGINX_SKIPPED: false | string = skippedWithout("nginx");

/** Listens with TLS and plain HTTP on free ports of 127.0.0.1 and, if available, `::1`. */
export async function startNginx(
	backends: readonly Backend[],
	changes: ConfigChanges = [],
): Promise<ReverseProxy> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-nginx-"));
	const [httpPort = 0, httpsPort = 0] = await freePorts(2);
	const files = putCertificate(folder, await makeCertificate("nginx"));
	const file = join(folder, "nginx.conf");
	const ipv6 = await hasIpv6();
	writeFileSync(file, nginxConfig({ folder, httpPort, httpsPort, files, backends, ipv6, changes }));
	const process = await startServerProcess("nginx", ["-e", "stderr", "-p", folder, "-c", file], {
		port: httpPort,
	});
	return {
		httpPort,
		httpsPort,
		process,
		async remove() {
			await process.end();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Wraps the configuration in deploy/ as the `http` block of a complete one. */
export function nginxConfig(options: {
	/** The folder for the files that nginx writes. */
	readonly folder: string;
	readonly httpPort: number;
	readonly httpsPort: number;
	readonly files: CertificateFilePair;
	readonly backends: readonly Backend[];
	readonly ipv6: boolean;
	readonly changes?: ConfigChanges;
}): string {
	const { folder, httpPort, httpsPort, files, backends, ipv6, changes = [] } = options;
	const onV6 = (port: number, tls: string): string => (ipv6 ? `listen [::1]:${port}${tls};` : "");
	const limits = "max_fails=1 fail_timeout=1s";
	const servers = backends.map(({ port }) => `server 127.0.0.1:${port} ${limits};`);
	const part = deliveredConfig("nginx/latchkey.conf", [
		["listen 80;", `listen 127.0.0.1:${httpPort};`],
		["listen [::]:80;", onV6(httpPort, "")],
		["listen 443 ssl;", `listen 127.0.0.1:${httpsPort} ssl;`],
		["listen [::]:443 ssl;", onV6(httpsPort, " ssl")],
		["/etc/nginx/tls/fullchain.pem", files.certFile],
		["/etc/nginx/tls/privkey.pem", files.keyFile],
		[`server latchkey-1:8080 ${limits};`, servers.join("\n    ")],
		[`    server latchkey-2:8080 ${limits};\n`, ""],
		...changes,
	]);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
		(name) => `${name}_temp_path ${folder}/${name};`,
	);
	// When started as root, nginx would run its workers as a user without access to the folder.
	const user = process.getuid?.() === 0 ? "user root;" : "";
	return `${user} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http {
access_log off; ${temporary.join(" ")}
${part}
}
`;
}
