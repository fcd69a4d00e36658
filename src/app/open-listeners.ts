// Opens the listeners of HTTP, HTTPS and metrics: all of them, or none.

import type { Config } from "../config/config.ts";
import { randomToken } from "../crypto/random.ts";
import type { ServerIdentity } from "../domain/database-server.ts";
import { scimErrors as errorForm } from "../features/identity/directories/scim-endpoints.ts";
import { gateRefusals as describedRefusals } from "../features/partners/gate/ask-endpoints.ts";
import type { Platform } from "../features/platform.ts";
import type { EventCounts } from "../features/record/statistics/count-events.ts";
import { Connections } from "../http/serve/connections.ts";
import { type MetricsListener, openMetricsListener } from "../http/serve/metrics-listener.ts";
import { createServer, type HttpServer } from "../http/serve/server.ts";
import type { LogoutDeliveryStats } from "../jobs/deliver-logouts.ts";
import type { MailDelivery } from "../jobs/deliver-mail.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Tracing } from "../kernel/tracing.ts";
import type { RecordBuffer } from "../kernel/write-behind.ts";
import { loadBuiltPages } from "../pages/built-pages.ts";
import { isCheckout } from "../pages/page-sources.ts";
import { connectionBudget, descriptorsInUse } from "./connection-budget.ts";
import { createExportRecord, type Recorders } from "./features.ts";
import { createMap } from "./map.ts";
import type { Metrics } from "./metrics.ts";
import type { Installation } from "./open-installation.ts";
import type { OpenRateLimits } from "./rate-limits.ts";
import type { ServedCertificate } from "./served-certificate.ts";

/** Limits log lines during a flood; the metrics count every refusal. */
const WARN_EVERY_MS = 60_000;

/** Ports in use; null where a listener is off. */
export interface Ports {
	readonly http: number | null;
	readonly https: number | null;
	readonly metrics: number | null;
}

export interface OpenListeners {
	readonly ports: Ports;
	readonly server: HttpServer;
	readonly metrics: MetricsListener | undefined;
	/** The values of every metric; undefined if metrics are off. */
	readonly collectMetrics: Metrics["collect"] | undefined;
}

export interface ListenerOptions extends Pick<Installation, "engine"> {
	readonly platform: Platform;
	readonly recorders: Recorders;
	readonly events: EventCounts;
	readonly buffers: readonly RecordBuffer[];
	readonly rateLimits: OpenRateLimits;
	readonly mail: MailDelivery;
	readonly logoutStats: () => LogoutDeliveryStats;
	readonly databaseServer: () => ServerIdentity | undefined;
	readonly isDatabaseDamaged: () => boolean;
	readonly certificate: ServedCertificate;
	readonly tracing: Tracing | undefined;
	readonly monotonicMs: Clock;
	/** 0 takes any free port. */
	readonly ports: Ports;
}

/** @throws the error of `listen`; no listener is open then. */
export async function openListeners(config: Config, options: ListenerOptions): Promise<OpenListeners> {
	const { host } = config;
	const { platform, monotonicMs, ports, tracing } = options;
	const connections = createConnections(config, platform.log, monotonicMs);
	const isMeasured = ports.metrics !== null || tracing !== undefined;
	const metrics = isMeasured ? await loadMetrics(options, connections) : undefined;
	const server = createHttpServer(config, options, connections, metrics);
	try {
		const opened = await server.listeners.listen(host, ports);
		const metricsListener =
			ports.metrics === null || metrics === undefined
				? undefined
				: await openMetricsListener(host, ports.metrics, metrics);
		return {
			ports: { ...opened, metrics: metricsListener?.port ?? null },
			server,
			metrics: metricsListener,
			collectMetrics: metrics?.collect,
		};
	} catch (error) {
		await server.listeners.close(0, 0);
		throw error;
	}
}

function createHttpServer(
	{ trustedProxies, plainHttpNetworks, source }: Config,
	{ platform, recorders, certificate, rateLimits, tracing, monotonicMs }: ListenerOptions,
	connections: Connections,
	metrics: Metrics | undefined,
): HttpServer {
	const { publicUrl, log } = platform;
	const pageFiles = loadBuiltPages({ isWatched: isCheckout() });
	if (!pageFiles.isBuilt) log.warn({}, "the pages are not built: run npm ci with development dependencies");
	const prefix = randomToken().slice(0, 8);
	let count = 0;
	const { uses, testCalls } = recorders;
	const gate = {
		limits: rateLimits.limits,
		monotonicMs,
		uses,
		testCalls,
		meter: metrics?.gateMeter,
	};
	const map = createMap(platform, recorders, gate, { built: pageFiles, certificate: certificate.pages });
	return createServer({
		publicUrl,
		ownOrigin: source.isPublicUrlSet ? publicUrl : undefined,
		routes: map.api,
		mounts: [...map.oauth, ...map.gate, ...map.scim, ...map.certificate],
		describedRefusals,
		errorForm,
		pages: map.pages,
		rateLimits: rateLimits.limits,
		trustedProxies,
		plainHttpNetworks,
		connections,
		tls: certificate.tls,
		challenge: certificate.challenge,
		log,
		meter: metrics?.meter,
		tracing,
		recordExport: createExportRecord(platform.db),
		changeIfMatch: map.changeIfMatch,
		newRequestId: () => `${prefix}-${(++count).toString(36)}`,
	});
}

/** Loads prom-client only if metrics are enabled. */
async function loadMetrics(
	{
		platform,
		engine,
		mail,
		logoutStats,
		databaseServer,
		isDatabaseDamaged,
		rateLimits,
		events,
		buffers,
		certificate,
		ports,
		monotonicMs,
	}: ListenerOptions,
	connections: Connections,
): Promise<Metrics> {
	const { version, db, passwords, clock } = platform;
	const { createMetrics } = await import("./metrics.ts");
	return createMetrics({
		version,
		mail: () => mail.stats,
		mailWaiting: () => db.stores.mail.countWaiting(),
		mailOldestAgeSeconds: async () => {
			const oldestMs = await db.stores.mail.oldestWaitingAtMs();
			return oldestMs === undefined ? 0 : Math.max(0, clock() - oldestMs) / SECOND_MS;
		},
		hashes: () => passwords.load,
		webhooks: () => db.stores.webhookDeliveries.backlog(),
		logoutNotices: () => db.stores.logoutNotices.backlog(),
		logoutStats,
		reviews: () => db.stores.reviews.countOpen(clock()),
		lastBackup: () => db.stores.backups.findLast(),
		certificateValidToMs: () => (ports.https === null ? undefined : certificate.validToMs()),
		database: engine,
		databaseServer,
		isDatabaseDamaged,
		clock,
		monotonicMs,
		rateLimits: rateLimits.stats,
		connections: () => connections.stats,
		events: () => events.totals(),
		buffers,
		sessions: everyMinute(monotonicMs, () => engine.countRows("sessions")),
	});
}

/** Caches a value that is expensive to read for a minute. */
function everyMinute(monotonicMs: Clock, read: () => Promise<number>): () => Promise<number> {
	let last: { readonly atMs: number; readonly value: Promise<number> } | undefined;
	return async () => {
		const atMs = monotonicMs();
		if (last === undefined || atMs - last.atMs >= MINUTE_MS) last = { atMs, value: read() };
		const { value } = last;
		return await value.catch((error: unknown) => {
			last = undefined;
			throw error;
		});
	};
}

/** The limits on open connections that the descriptors allow; logs a line when a connection is refused. */
function createConnections(config: Config, log: Log, monotonicMs: Clock): Connections {
	const { connections: total, descriptors } = connectionBudget(config, descriptorsInUse());
	if (config.maxConnections > total)
		log.warn(
			{ descriptors, configured: config.maxConnections, connections: total },
			"fewer connections than configured: the limit on file descriptors is too low (LimitNOFILE, ulimit -n)",
		);
	let warnedAtMs = Number.NEGATIVE_INFINITY;
	return new Connections(
		{
			total,
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
