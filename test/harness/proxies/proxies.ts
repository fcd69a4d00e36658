// The reverse proxies under test, and their differences.

import { HAPROXY_SKIPPED, startHaproxy } from "./haproxy.ts";
import { NGINX_SKIPPED, startNginx } from "./nginx.ts";
import type { Backend, ConfigChanges, ReverseProxy } from "./reverse-proxy.ts";

export interface ProxyKind {
	readonly name: string;
	readonly skip: false | string;
	start(backends: readonly Backend[], changes?: ConfigChanges): Promise<ReverseProxy>;
	readonly offersHttp2: boolean;
	/** Shares one connection to a node among all clients. */
	readonly sharing: ConfigChanges;
	/** Appends to the forwarding headers of the caller instead of replacing them, as many installations do. */
	readonly appending: ConfigChanges;
	/** Closes slow connections after two seconds. */
	readonly impatient: ConfigChanges;
}

export const PROXIES: readonly ProxyKind[] = [
	{
		name: "nginx",
		skip: NGINX_SKIPPED,
		start: startNginx,
		offersHttp2: false,
		sharing: [],
		appending: [
			["X-Forwarded-For $remote_addr", "X-Forwarded-For $proxy_add_x_forwarded_for"],
			["X-Forwarded-Proto $scheme", 'X-Forwarded-Proto "$http_x_forwarded_proto, $scheme"'],
		],
		impatient: [
			["client_header_timeout 15s", "client_header_timeout 2s"],
			["client_body_timeout 15s", "client_body_timeout 2s"],
		],
	},
	{
		name: "HAProxy",
		skip: HAPROXY_SKIPPED,
		start: startHaproxy,
		offersHttp2: true,
		sharing: [["balance leastconn", "balance leastconn\n    http-reuse always"]],
		appending: [
			["set-header X-Forwarded-For", "add-header X-Forwarded-For"],
			["set-header X-Forwarded-Proto", "add-header X-Forwarded-Proto"],
		],
		impatient: [["timeout http-request 15s", "timeout http-request 2s"]],
	},
];
