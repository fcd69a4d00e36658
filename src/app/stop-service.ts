// Stops the service in the order that loses no request and no mail.

import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { Telemetry } from "../adapters/telemetry/otlp.ts";
import type { Log } from "../kernel/log.ts";
import type { Mail, Recording, Worker } from "./background.ts";
import type { Installation } from "./open-installation.ts";
import type { OpenListeners } from "./open-listeners.ts";
import type { OpenRateLimits } from "./rate-limits.ts";

/** Supervisors kill after ten seconds; the last of them is left for closing the database. */
const STOP_GRACE_MS = 9_000;
/**
 * How long kept connections outlive the listener: a balancer that ignores `/health` notices the refused connections.
 */
const IDLE_GRACE_MS = 500;

/** For the last traces and metrics: what is left of the grace, within these limits. */
const TELEMETRY_GRACE_MS = { least: 200, most: 2_000 };

interface RunningParts {
	readonly log: Log;
	readonly listeners: OpenListeners;
	readonly workers: readonly Worker[];
	readonly mail: Mail;
	readonly recording: Recording;
	readonly rateLimits: OpenRateLimits;
	readonly installation: Installation;
	readonly telemetry: Telemetry | undefined;
	readonly drainSeconds: number;
	/** The signal that asked for the stop, if one did. */
	readonly signal: string | undefined;
}

/** `/health` has to report the stop before this is called: balancers leave while the service still drains. */
export async function stopService(parts: RunningParts): Promise<void> {
	const {
		log,
		listeners,
		workers,
		mail,
		recording,
		rateLimits,
		installation,
		telemetry,
		drainSeconds,
		signal,
	} = parts;
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
	await recording.flush();
	await listeners.server.close();
	rateLimits.close();
	const leftMs = STOP_GRACE_MS - (performance.now() - drainedMs);
	await telemetry?.stop(Math.min(Math.max(leftMs, TELEMETRY_GRACE_MS.least), TELEMETRY_GRACE_MS.most));
	await listeners.metrics?.close();
	await installation.close();
	log.info({ signal, ms: Math.round(performance.now() - startMs) }, "stopped");
}
