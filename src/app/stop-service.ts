// Stops the service in the order that loses no request and no mail.

import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { Telemetry } from "../adapters/telemetry/otlp.ts";
import type { Log } from "../kernel/log.ts";
import type { Flushable } from "../kernel/write-behind.ts";
import type { Mail, Worker } from "./background.ts";
import type { Installation } from "./open-installation.ts";
import type { OpenListeners } from "./open-listeners.ts";
import type { OpenRateLimits } from "./rate-limits.ts";

/** Supervisors kill a process after ten seconds. The last second is reserved for closing the database. */
const STOP_GRACE_MS = 9_000;
/**
 * How long keep-alive connections outlive the listener, so that a load balancer that ignores `/health` notices refused
 * connections first.
 */
const IDLE_GRACE_MS = 500;

/** The last traces and metrics are sent during the rest of the grace period, but for at least and at most this long. */
const TELEMETRY_GRACE_MS = { least: 200, most: 2_000 };

interface RunningParts {
	readonly log: Log;
	readonly listeners: OpenListeners;
	readonly workers: readonly Worker[];
	readonly mail: Mail;
	readonly recording: Flushable;
	readonly rateLimits: OpenRateLimits;
	readonly installation: Installation;
	readonly telemetry: Telemetry | undefined;
}

/**
 * Call after `/health` reports the stop, so that load balancers stop sending requests while the service drains.
 *
 * @param signal the signal that requested the stop, if any.
 */
export async function stopService(
	{ log, listeners, workers, mail, recording, rateLimits, installation, telemetry }: RunningParts,
	drainSeconds: number,
	signal: string | undefined,
): Promise<void> {
	const startMs = performance.now();
	log.info({ signal, drain_seconds: drainSeconds }, "stopping");
	if (drainSeconds > 0) await setTimeout(drainSeconds * 1_000);
	const drainedMs = performance.now();
	listeners.server.drain();
	await Promise.all([
		listeners.server.listeners.close(STOP_GRACE_MS, drainSeconds === 0 ? 0 : IDLE_GRACE_MS),
		...workers.map((worker) => worker.stop()),
	]);
	mail.transport.close();
	await recording
		.flush()
		.catch((err: unknown) => log.error({ err }, "records of the last seconds are lost: the database failed"));
	rateLimits.close();
	const leftMs = STOP_GRACE_MS - (performance.now() - drainedMs);
	await telemetry?.stop(Math.min(Math.max(leftMs, TELEMETRY_GRACE_MS.least), TELEMETRY_GRACE_MS.most));
	await listeners.metrics?.close();
	await installation.close();
	log.info({ signal, ms: Math.round(performance.now() - startMs) }, "stopped");
}
