// Starts the reverse proxies with the configurations in deploy/gate in front of an application on this machine.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyedGate } from "../access/gate-calls.ts";
import { makeCertificate, putCertificate } from "../certificates/certificate.ts";
import { freePorts } from "../processes/program.ts";
import {
	deliveredConfig,
	type ServerProcess,
	skippedWithout,
	startServerProcess,
} from "../processes/server-process.ts";
import type { ConfigChanges } from "./reverse-proxy.ts";

/** What a proxy connects. */
export interface GateRoute {
	readonly gate: KeyedGate;
	/** The port of the plain HTTP listener of the service. */
	readonly gatePort: number;
	/** The port of the application. */
	readonly appPort: number;
	/** Whether the file lacks the line that keeps `Authorization` from the application. */
	readonly ownTokens?: boolean;
}

/** A proxy that listens with TLS on 127.0.0.1, with a self-signed certificate for localhost. */
export interface GateProxy {
	readonly httpPort: number;
	readonly httpsPort: number;
	/** PEM. */
	readonly certificate: string;
	remove(): Promise<void>;
}

export interface GateProxyKind {
	readonly name: string;
	/** `false`, or the reason to skip tests; with `CI` set they never skip. */
	readonly skip: false | string;
	start(route: GateRoute): Promise<GateProxy>;
}

interface Place extends GateRoute {
	/** For the files that the proxy reads and writes. */
	readonly folder: string;
	readonly httpPort: number;
	readonly httpsPort: number;
	readonly certFile: string;
	readonly keyFile: string;
	/** A file with the certificate and its key. */
	readonly pem: string;
}

export const GATE_PROXIES: readonly GateProxyKind[] = [
	kind("nginx", (place) => ["-e", "stderr", "-p", place.folder, "-c", nginx(place)]),
	kind("Caddy", (place) => ["run", "--adapter", "caddyfile", "--config", caddy(place)]),
	kind("HAProxy", (place) => ["-db", "-f", haproxy(place)]),
];

function kind(name: string, argsOf: (place: Place) => readonly string[]): GateProxyKind {
	const program = name.toLowerCase();
	return {
		name,
		skip: skippedWithout(program),
		async start(route) {
			const folder = mkdtempSync(join(tmpdir(), `latchkey-gate-${program}-`));
			const [httpPort = 0, httpsPort = 0] = await freePorts(2);
			const pair = await makeCertificate(program);
			const pem = join(folder, "both.pem");
			writeFileSync(pem, `${pair.cert.trim()}\n${pair.key}`, { mode: 0o600 });
			const place = { ...route, ...putCertificate(folder, pair), folder, httpPort, httpsPort, pem };
			const env = { ...process.env, HOME: folder, LK_GATE_KEY: route.gate.gate_key };
			let server: ServerProcess;
			try {
				server = await startServerProcess(program, argsOf(place), { port: httpsPort, env });
			} catch (error) {
				rmSync(folder, { recursive: true, force: true });
				throw error;
			}
			return {
				httpPort,
				httpsPort,
				certificate: pair.cert,
				async remove() {
					// SIGTERM would wait for keep-alive connections.
					server.signal("SIGKILL");
					await server.exited;
					rmSync(folder, { recursive: true, force: true });
				},
			};
		},
	};
}

function put(place: Place, file: string, text: string): string {
	const path = join(place.folder, file);
	writeFileSync(path, text);
	return path;
}

function delivered({ ownTokens = false }: Place, file: string, changes: ConfigChanges): string {
	const text = deliveredConfig(`gate/${file}`, changes);
	if (!ownTokens) return text;
	const lines = text.split("\n");
	return lines.filter((line) => !line.includes("own_tokens")).join("\n");
}

/** Wraps the configuration as the `http` block of a complete one. */
function nginx(place: Place): string {
	const { folder, gate, gatePort, appPort, httpPort, httpsPort, certFile, keyFile } = place;
	const part = delivered(place, "nginx.conf", [
		["listen 80;", `listen 127.0.0.1:${httpPort};`],
		["listen [::]:80;", ""],
		["listen 443 ssl http2;", `listen 127.0.0.1:${httpsPort} ssl http2;`],
		["listen [::]:443 ssl http2;", ""],
		["/etc/nginx/tls/fullchain.pem", certFile],
		["/etc/nginx/tls/privkey.pem", keyFile],
		["server latchkey:8080;", `server 127.0.0.1:${gatePort};`],
		["server orders:3000;", `server 127.0.0.1:${appPort};`],
		...gateValues(gate),
		['"GATE_KEY"', `"${gate.gate_key}"`],
	]);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
		(name) => `${name}_temp_path ${folder}/${name};`,
	);
	// When started as root, nginx would run its workers as a user without access to the folder.
	const user = process.getuid?.() === 0 ? "user root;" : "";
	return put(
		place,
		"nginx.conf",
		`${user} daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http {
access_log off; ${temporary.join(" ")}
${part}
}
`,
	);
}

function caddy(place: Place): string {
	const { folder, gate, gatePort, appPort, httpPort, httpsPort, certFile, keyFile } = place;
	const site = delivered(place, "Caddyfile", [
		["orders.example.com {", `https://:${httpsPort} {\n\tbind 127.0.0.1\n\ttls ${certFile} ${keyFile}`],
		["latchkey:8080", `127.0.0.1:${gatePort}`],
		["orders:3000", `127.0.0.1:${appPort}`],
		...gateValues(gate),
	]);
	const options = ["admin off", "auto_https off", `http_port ${httpPort}`];
	options.push(`storage file_system ${folder}/storage`, "default_sni localhost");
	return put(place, "Caddyfile", `{\n\t${options.join("\n\t")}\n}\n${site}`);
}

function haproxy(place: Place): string {
	const { gate, gatePort, appPort, httpPort, httpsPort, pem } = place;
	const lua = put(place, "latchkey-gate.lua", delivered(place, "latchkey-gate.lua", []));
	const config = deliveredConfig("gate/haproxy.cfg", [
		[":::80 v4v6", `127.0.0.1:${httpPort}`],
		[":::443 v4v6", `127.0.0.1:${httpsPort}`],
		["/etc/haproxy/orders.pem", pem],
		["/etc/haproxy/latchkey-gate.lua", lua],
		["127.0.0.1:8080", `127.0.0.1:${gatePort}`],
		["orders:3000", `127.0.0.1:${appPort}`],
		...gateValues(gate),
	]);
	return put(place, "haproxy.cfg", config);
}

function gateValues(gate: KeyedGate): ConfigChanges {
	return [["APPLICATION_ID", gate.application_id]];
}
