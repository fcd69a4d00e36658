// The configured limits on open connections, and a log line when a connection is refused.

import type { Config } from "../config/config.ts";
import { Connections } from "../http/connections.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

/** Limits log lines during a flood; the metrics count every refusal. */
const WARN_EVERY_MS = 60_000;

export function createConnections(
	config: Config,
	{ log, monotonicMs }: { readonly log: Log; readonly monotonicMs: Clock },
): Connections {
	let warnedAtMs = Number.NEGATIVE_INFINITY;
	return new Connections(
		{
			total: config.maxConnections,
			perAddress: config.maxConnectionsPerAddress,
			trustedProxies: config.trustedProxies,
		},
		(ip, bound) => {
			const now = monotonicMs();
			if (now - warnedAtMs < WARN_EVERY_MS) return;
			warnedAtMs = now;
			log.warn({ ip, bound }, "connection refused: too many are open, and none is idle");
		},
	);
}
