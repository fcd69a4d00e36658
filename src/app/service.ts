// The running service: opens the installation, builds the features, serves, works the jobs, stops without losing anything.

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { readCertificate, reloadCertificate } from "../adapters/files/certificate.ts";
import { checkDataFolder } from "../adapters/files/data-folder.ts";
import { findConfiguredMasterKeys } from "../adapters/files/master-key.ts";
import { ensureCertificate } from "../adapters/files/serving-certificate.ts";
import { createEmlTransport } from "../adapters/mail/eml-transport.ts";
import { createSmtpTransport } from "../adapters/mail/smtp-transport.ts";
import { refuseFolderInUse } from "../adapters/sql/folder-lock.ts";
import type { Stores } from "../adapters/sql/stores.ts";
import { createHttpsSender } from "../adapters/webhooks/https-sender.ts";
import type { Config } from "../config/config.ts";
import { createAccessTokens } from "../crypto/access-token.ts";
import { inspectCertificate } from "../crypto/certificate.ts";
import { randomToken } from "../crypto/random.ts";
import { ACCESS_TOKEN_SECONDS } from "../features/auth/model.ts";
import type { UseRecorder } from "../features/external/model.ts";
import { createUseRecorder } from "../features/external/record-uses.ts";
import type { HealthCheck } from "../features/health/model.ts";
import type { MailQueue, MailTransport } from "../features/mail/model.ts";
import type { ProviderGateway } from "../features/third-party/model.ts";
import type { Tls } from "../http/listeners.ts";
import { type MetricsListener, openMetricsListener } from "../http/metrics-listener.ts";
import { loadPages } from "../http/pages/pages.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { createServer, type HttpServer } from "../http/server.ts";
import { createMailDelivery, type MailDelivery } from "../jobs/deliver-mail.ts";
import { createWebhookDelivery } from "../jobs/deliver-webhooks.ts";
import { createFoldJob } from "../jobs/fold-counts.ts";
import { createExpiryNoticeJob } from "../jobs/notify-expiring.ts";
import { createPurgeJob } from "../jobs/purge-expired.ts";
import { createSigningKeyJob } from "../jobs/remove-signing-keys.ts";
import { createAddressRule } from "../kernel/address-rule.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { isEmptyDatabase } from "./database-place.ts";
import { openDerivation } from "./derivation-root.ts";
import { createEndpoints, createGuards } from "./features.ts";
import { checkFirstAdmin, type FirstAdmin, prepareDatabase } from "./first-start.ts";
import { createJobs } from "./jobs.ts";
import { createKeyRing } from "./key-ring.ts";
import { createLog } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { type Installation, openInstallation } from "./open-installation.ts";
import type { Platform } from "./platform.ts";
import { checkPorts, portError, type WantedPort, wantedPorts } from "./ports.ts";
import { createProviders } from "./providers.ts";
import { type OpenRateLimits, openRateLimits } from "./rate-limits.ts";
import { createRoutes } from "./routes.ts";
import { VERSION } from "./version.ts";

/** A second short of the ten after which supervisors kill: the database is closed in it. */
const STOP_GRACE_MS = 9_000;
/** Kept connections outlive the listener by so much: a balancer that does not look at `/health` learns of it by being refused. */
const IDLE_GRACE_MS = 500;

/** Null where a listener is off. */
export interface Ports {
	readonly http: number | null;
	readonly https: number | null;
	readonly metrics: number | null;
}

export interface Service {
	/** Ports in use; null where a listener is off. */
	readonly ports: Ports;
	/** Given by the start that filled an empty database: to be shown once. */
	readonly firstAdmin: FirstAdmin | undefined;
	/** Reads the certificate files again. A bad pair is logged and the old one stays. */
	reload(): Promise<void>;
	/** Serves on for the seconds of draining, stops accepting, finishes what runs (9 s at most), closes everything. Safe to call twice. */
	stop(): Promise<void>;
}

export interface ServiceOptions {
	readonly clock?: Clock;
	/** Milliseconds that never go back, by which rate limits count; the process's own unless told. */
	readonly monotonicMs?: Clock;
	readonly log?: Log;
	/** Overrides the configured ports; 0 takes any free one. For tests. */
	readonly ports?: Ports;
	/** Instead of the real ones, which no test can reach. */
	readonly providers?: ProviderGateway;
}

/** @throws StartError when something has to be put right first: nothing was changed then. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
	const clock = options.clock ?? systemClock;
	const log = options.log ?? createLog(config.logLevel);
	await refuseBadStart(config, options.ports === undefined ? wantedPorts(config) : [], clock);
	const installation = await openInstallation(config, { clock, log });
	try {
		return await run(config, installation, {
			clock,
			monotonicMs: options.monotonicMs ?? (() => performance.now()),
			log,
			ports: options.ports ?? { http: config.port, https: config.httpsPort, metrics: config.metricsPort },
			providers: options.providers ?? createProviders(config.providerAllowedNetworks),
		});
	} catch (error) {
		await installation.close();
		throw portError(config.host, wantedPorts(config), error);
	}
}

/** Everything that can be found out without changing anything, so that a start refused here leaves no trace. */
async function refuseBadStart(config: Config, ports: readonly WantedPort[], clock: Clock): Promise<void> {
	if (config.tls !== null) readCertificate(config.tls, inspectCertificate, clock());
	findConfiguredMasterKeys(config.masterKey);
	checkDataFolder(config.dataDir);
	refuseFolderInUse(config.dataDir);
	if (await isEmptyDatabase(config)) checkFirstAdmin(config);
	await checkPorts(config.host, ports);
}

interface Circumstances {
	readonly clock: Clock;
	readonly monotonicMs: Clock;
	readonly log: Log;
	readonly ports: Ports;
	readonly providers: ProviderGateway;
}

async function run(
	config: Config,
	installation: Installation,
	{ clock, monotonicMs, log, ports, providers }: Circumstances,
): Promise<Service> {
	const { db, secretBox, passwords } = installation;
	const source = { files: config.tls, dataDir: config.dataDir, publicUrl: config.publicUrl };
	const pair = await ensureCertificate(source, inspectCertificate, clock());
	if (pair.warning !== undefined) log.warn({}, pair.warning);
	// Of several nodes that start at once on an empty database one fills it, and the others find it filled.
	const firstAdmin = await installation.engine.exclusively(() =>
		prepareDatabase({ config, clock, db, secretBox, passwords }),
	);
	const derivation = await openDerivation({ db, secretBox, clock });
	const keyRing = await createKeyRing({ store: db.stores.signingKeys, secretBox, clock, log });
	const accessTokens = createAccessTokens({
		issuer: config.publicUrl,
		keys: keyRing,
		clock,
		ttlSeconds: ACCESS_TOKEN_SECONDS,
	});
	const mail = createMail(config, db, clock, log);
	let stopping: Promise<void> | undefined;
	const rateLimits = await openRateLimits(config, { db, monotonicMs, log });
	const platform: Platform = {
		config,
		version: VERSION,
		clock,
		log,
		db,
		secretBox,
		derivation,
		passwords,
		accessTokens,
		providers,
		checks: [databaseCheck(db), ...rateLimits.checks],
		isStopping: () => stopping !== undefined,
		wakeMail: () => mail.delivery.wake(),
	};
	const uses = createUseRecorder(db);
	const tls = { cert: pair.certPem, key: pair.keyPem };
	const metrics =
		ports.metrics === null ? undefined : await loadMetrics(installation, mail.delivery, rateLimits);
	const server = await createHttpServer(platform, uses, tls, rateLimits.limits, metrics);
	const { opened, metricsListener } = await listen(server, config.host, ports, metrics).catch((error) => {
		rateLimits.close();
		throw error;
	});
	const recordUses = { name: "record-uses", everyMs: 5_000, run: () => uses.flush() };
	const jobs = createJobs(platform, [
		createPurgeJob(platform),
		createSigningKeyJob(platform),
		createExpiryNoticeJob(platform),
		createFoldJob(platform),
		recordUses,
	]);
	const webhooks = createWebhooks(platform);
	mail.delivery.start();
	webhooks.start();
	jobs.start();
	keyRing.start();
	return {
		ports: opened,
		firstAdmin,
		async reload() {
			try {
				const next =
					config.tls === null
						? await ensureCertificate(source, inspectCertificate, clock())
						: reloadCertificate(config.tls, inspectCertificate, clock());
				server.listeners.replaceTls({ cert: next.certPem, key: next.keyPem });
				log.info({ valid_to: new Date(next.validToMs).toISOString() }, "certificate reloaded");
			} catch (error) {
				log.error({ err: error }, "certificate not reloaded, the old one stays");
			}
		},
		stop() {
			stopping ??= stop(
				server,
				mail,
				[jobs, webhooks, keyRing],
				uses,
				installation,
				metricsListener,
				rateLimits,
				config.drainSeconds,
			);
			return stopping;
		},
	};
}

interface Mail {
	readonly transport: MailTransport;
	readonly delivery: MailDelivery;
}

async function stop(
	server: HttpServer,
	mail: Mail,
	jobs: readonly { stop(): Promise<void> }[],
	uses: { flush(): Promise<void> },
	installation: Installation,
	metricsListener: MetricsListener | undefined,
	rateLimits: OpenRateLimits,
	drainSeconds: number,
): Promise<void> {
	// Balancers are told first; until they have noticed, whatever they send is served as ever.
	if (drainSeconds > 0) await setTimeout(drainSeconds * 1_000);
	server.drain();
	await Promise.all([
		server.listeners.close(STOP_GRACE_MS, drainSeconds === 0 ? 0 : IDLE_GRACE_MS),
		mail.delivery.stop(),
		...jobs.map((job) => job.stop()),
	]);
	mail.transport.close();
	await uses.flush();
	await server.close();
	rateLimits.close();
	await metricsListener?.close();
	await installation.close();
}

function createHttpServer(
	platform: Platform,
	uses: UseRecorder,
	tls: Tls,
	rateLimits: RateLimits,
	metrics: Metrics | undefined,
): Promise<HttpServer> {
	const { config } = platform;
	const prefix = randomToken().slice(0, 8);
	let count = 0;
	return createServer({
		version: platform.version,
		publicUrl: config.publicUrl,
		routes: createRoutes(createEndpoints(platform), createGuards(platform, uses)),
		pages: loadPages(),
		rateLimits,
		trustedProxies: config.trustedProxies,
		tls,
		log: platform.log,
		meter: metrics?.meter,
		newRequestId: () => `${prefix}-${(++count).toString(36)}`,
	});
}

/** prom-client is read from disk only where figures are wanted. */
async function loadMetrics(
	{ db, engine, passwords }: Installation,
	mail: MailDelivery,
	rateLimits: OpenRateLimits,
): Promise<Metrics> {
	const { createMetrics } = await import("./metrics.ts");
	return createMetrics({
		version: VERSION,
		mail: () => mail.stats,
		mailWaiting: () => db.stores.mail.countWaiting(),
		hashes: () => passwords.load,
		databaseFailures: () => engine.failures,
		rateLimits: rateLimits.stats,
	});
}

/** Opens all listeners, or none. */
async function listen(server: HttpServer, host: string, ports: Ports, metrics: Metrics | undefined) {
	const closeAll = async (error: unknown): Promise<never> => {
		await server.listeners.close(0, 0);
		throw error;
	};
	const main = await server.listeners.listen(host, ports).catch(closeAll);
	if (ports.metrics === null || metrics === undefined) return { opened: { ...main, metrics: null } };
	const metricsListener = await openMetricsListener(host, ports.metrics, metrics).catch(closeAll);
	return { opened: { ...main, metrics: metricsListener.port }, metricsListener };
}

function createMail(config: Config, db: Persistence<Stores>, clock: Clock, log: Log): Mail {
	const transport =
		config.smtpUrl === null
			? createEmlTransport(join(config.dataDir, "mail"))
			: createSmtpTransport({ url: config.smtpUrl });
	const { mailFrom: from, publicUrl } = config;
	return {
		transport,
		delivery: createMailDelivery({ queue: mailQueue(db), transport, clock, log, from, publicUrl }),
	};
}

function createWebhooks(platform: Platform) {
	const isAllowed = createAddressRule(platform.config.webhookAllowedNetworks);
	return createWebhookDelivery({ ...platform, sender: createHttpsSender({ isAllowed }) });
}

/** Claiming reads and writes: it needs a transaction. The rest are single statements. */
function mailQueue(db: Persistence<Stores>): MailQueue {
	const { mail } = db.stores;
	return {
		claimDue: (nowMs, limit, leaseMs) =>
			db.transaction((stores) => stores.mail.claimDue(nowMs, limit, leaseMs)),
		extendLease: (claimed, untilMs) => mail.extendLease(claimed, untilMs),
		markSent: (id, nowMs) => mail.markSent(id, nowMs),
		markRetry: (id, nextAttemptAtMs, error) => mail.markRetry(id, nextAttemptAtMs, error),
		postpone: (id, nextAttemptAtMs, error) => mail.postpone(id, nextAttemptAtMs, error),
		markFailed: (id, nowMs, error) => mail.markFailed(id, nowMs, error),
		nextDueAtMs: () => mail.nextDueAtMs(),
	};
}

/** Reads, and writes nothing: a full disk fails writes by themselves, a health check must not add to them. */
function databaseCheck(db: Persistence<Stores>): HealthCheck {
	return {
		name: "database",
		required: true,
		async check() {
			await db.stores.tenants.findBySlug("default");
		},
	};
}
