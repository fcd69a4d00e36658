// The running service: opens the installation, builds the platform, serves, and runs the background jobs.

import { performance } from "node:perf_hooks";
import { failoverRepairs } from "../adapters/copy/restore-policy.ts";
import { readCertificate } from "../adapters/files/certificate.ts";
import { checkDataFolder } from "../adapters/files/data-folder.ts";
import { findConfiguredMasterKeys } from "../adapters/files/master-key.ts";
import { findForeignTables } from "../adapters/postgres/postgres-owner.ts";
import { createProgramDocuments } from "../adapters/programs/program-documents.ts";
import { createTxtReader } from "../adapters/read-txt.ts";
import { refuseFolderInUse } from "../adapters/sqlite/folder-lock.ts";
import { checkIntegrity } from "../adapters/sqlite/sqlite-integrity.ts";
import type { Config } from "../config/config.ts";
import { inspectCertificate } from "../crypto/certificate.ts";
import type { ProgramDocuments } from "../domain/program-document.ts";
import type { ProviderGateway } from "../domain/provider-gateway.ts";
import { createSignInRecorder } from "../features/access/applications/record-sign-ins.ts";
import { createKeyUseRecorder } from "../features/identity/admin-keys/record-key-uses.ts";
import { createDirectoryEventRecorder } from "../features/identity/directories/record-events.ts";
import { createActorRecorder } from "../features/identity/oauth/record-actors.ts";
import { createUseRecorder } from "../features/partners/external/record-uses.ts";
import { createTestCallRecorder } from "../features/partners/external/test-calls.ts";
import { loadMailTexts } from "../features/record/mail/mail-texts.ts";
import { Refusals } from "../features/record/refusals/record-refusals.ts";
import { EventCounts } from "../features/record/statistics/count-events.ts";
import type { Tls } from "../http/serve/listeners.ts";
import { createClockWatch } from "../jobs/watch-clock.ts";
import { createDatabaseServerWatch } from "../jobs/watch-database-server.ts";
import { createIntegrityJob } from "../jobs/watch-integrity.ts";
import { createTableOwnerWatch } from "../jobs/watch-table-owner.ts";
import { type Clock, SECOND_MS, systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { type Flushable, flushAll } from "../kernel/write-behind.ts";
import { openAcmeCertificate } from "./acme-certificate.ts";
import { createCalls, createJobs, createMail } from "./background.ts";
import { becomeOwner, watchFiles } from "./become-owner.ts";
import { checkFirstAdmin, type FirstAdmin, prepareDatabase } from "./first-start.ts";
import {
	databaseFile,
	describePlace,
	isEmptyDatabase,
	refuseMovedInstallation,
	unusable,
} from "./installation-place.ts";
import { openKeyRings } from "./key-ring.ts";
import { createLog } from "./log.ts";
import { type Installation, openInstallation, requireWritable } from "./open-installation.ts";
import { openListeners, type Ports } from "./open-listeners.ts";
import { createPlatform, createProviders } from "./platform.ts";
import {
	checkPorts,
	type ListeningPort,
	listeningPorts,
	startFailure,
	warnOfPlainHttp,
	warnOfPlainPublicUrl,
} from "./ports.ts";
import { openRateLimits } from "./rate-limits.ts";
import { openCertificate } from "./served-certificate.ts";
import { stopService } from "./stop-service.ts";
import { openTelemetry, tracedInstallation } from "./telemetry.ts";
import { openWebhookNetworks } from "./webhook-networks.ts";

export interface Service {
	readonly ports: Ports;
	/** Set if this start filled an empty database. Show it once. */
	readonly firstAdmin: FirstAdmin | undefined;
	/**
	 * Reads the certificate files and the networks of webhooks again. What is unusable is logged, and its current value
	 * stays in use.
	 */
	reload(readConfig: () => Config): Promise<void>;
	/**
	 * Drains, finishes running requests within 9 s, and closes everything. Later calls return the promise of the first
	 * one. `signal` is logged.
	 */
	stop(signal?: string): Promise<void>;
}

interface ServiceOptions {
	readonly clock?: Clock;
	/** Milliseconds that never go back, for rate limits. Default: the clock of the process. */
	readonly monotonicMs?: Clock;
	readonly log?: Log;
	/** Overrides the configured ports; 0 takes any free port. For tests. */
	readonly ports?: Ports;
	/** Creates an embedded database although the data directory held one. */
	readonly isNew?: boolean;
	/** Ends the process: another one or other files have taken the place of the database. */
	readonly end?: () => void;
	/** Replaces the real identity providers, which tests cannot reach. */
	readonly providers?: ProviderGateway;
	/** Replaces the documents of programs, which must have port 443. For tests. */
	readonly programDocuments?: ProgramDocuments;
	/** Between two writes of buffered records, and two checks of the certificate. Default: five seconds. For tests. */
	readonly pollMs?: number;
	/** Name servers of the records of domains, `address:port`, instead of the system's. For tests. */
	readonly nameServers?: readonly string[];
}

/** @throws StartError if the operator must correct something; nothing has changed in that case. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
	const clock = options.clock ?? systemClock;
	const log = options.log ?? createLog(config.logLevel);
	await refuseBadStart(config, options.ports === undefined ? listeningPorts(config) : [], { clock, log });
	const installation = await openInstallation(config, { clock, log, isNew: options.isNew ?? false });
	try {
		return await run(config, installation, {
			clock,
			monotonicMs: options.monotonicMs ?? (() => performance.now()),
			log,
			ports: options.ports ?? { http: config.port, https: config.httpsPort, metrics: config.metricsPort },
			providers: options.providers ?? createProviders(config.providerAllowedNetworks),
			end: options.end ?? (() => undefined),
			...(options.programDocuments && { programDocuments: options.programDocuments }),
			pollMs: options.pollMs ?? 5 * SECOND_MS,
			...(options.nameServers && { nameServers: options.nameServers }),
		});
	} catch (error) {
		await installation.close();
		throw startFailure(config.host, listeningPorts(config), unusable(config, error));
	}
}

/** Runs every check that changes nothing, so that a refused start leaves no trace. */
async function refuseBadStart(
	config: Config,
	ports: readonly ListeningPort[],
	{ clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
	if (config.tls !== null) readCertificate(config.tls, inspectCertificate, clock());
	findConfiguredMasterKeys(config.masterKey);
	loadMailTexts(config.mailTexts);
	checkDataFolder(config.dataDir);
	refuseFolderInUse(config.dataDir);
	refuseMovedInstallation(config);
	const isEmpty = await isEmptyDatabase(config, (message) => log.warn({}, message));
	if (isEmpty) checkFirstAdmin(config);
	await checkPorts(config.host, ports);
}

async function run(
	config: Config,
	installation: Installation,
	options: Required<Omit<ServiceOptions, "programDocuments" | "nameServers" | "isNew">> &
		Pick<ServiceOptions, "programDocuments" | "nameServers">,
): Promise<Service> {
	const { clock, log } = options;
	const { db, secretBox } = installation;
	const telemetry = await openTelemetry(config, log);
	const tracing = telemetry?.tracing;
	// Several nodes may start with an empty database: one fills it, and the others find it filled.
	const firstAdmin = await installation.engine.exclusively(() =>
		prepareDatabase(config, { ...installation, clock }),
	);
	await db.stores.nonces.load();
	const { keyRing, idTokenKeyRing } = await openKeyRings({ db, secretBox, clock, log });
	// After the keys: a start with another master key changes nothing.
	await requireWritable(config, installation.engine, clock());
	await becomeOwner(installation, options);
	const { acme } = config;
	const certificate =
		acme === null
			? await openCertificate(config, clock, log)
			: await openAcmeCertificate(config, acme, { ...installation, clock, log });
	const events = new EventCounts(db, clock);
	const mail = await createMail(config, { db, clock, log, statistics: events, tracing });
	const rateLimits = await openRateLimits(config, { db, ...options });
	const serverWatch = createDatabaseServerWatch({
		db,
		clock,
		log,
		hasSynchronousStandby: config.databaseStandby === "synchronous",
		probeServers: () => installation.engine.probeServers(),
		followed: installation.followedServer,
		voidCodes: (nowMs) =>
			installation.engine.transaction((queries) =>
				installation.engine.script(queries, failoverRepairs(nowMs)),
			),
		repeatEndings: async (stores) => (await installation.endings?.repeat(stores)) ?? 0,
	});
	const ownerWatch = createTableOwnerWatch({
		log,
		findForeignTables: () => findForeignTables(installation.engine.queries),
	});
	const isEmbedded = config.databaseUrl === null;
	for (const { job } of isEmbedded ? [serverWatch] : [serverWatch, ownerWatch]) await job.run();
	const integrity = createIntegrityJob({
		...options,
		check: () => checkIntegrity(databaseFile(config), clock),
		damagedQueries: () => installation.engine.damaged,
	});
	const clockWatch = createClockWatch(options, installation.engine.ownership?.lastCommitAtMs ?? 0);
	let stopping: Promise<void> | undefined;
	const signIns = createSignInRecorder(db);
	const actors = createActorRecorder(db);
	const refusals = new Refusals(db, events);
	const webhookNetworks = openWebhookNetworks(config, log);
	const platform = await createPlatform(config, {
		...tracedInstallation(installation, config, tracing),
		...options,
		signingKeys: keyRing,
		idTokenKeyRing,
		checks: [
			...(isEmbedded ? [integrity.healthCheck] : [...serverWatch.checks, ownerWatch.healthCheck]),
			clockWatch.healthCheck,
			...certificate.checks,
			...rateLimits.checks,
		],
		isStopping: () => stopping !== undefined,
		wakeMail: () => mail.delivery.wake(),
		previewMail: mail.preview,
		isWebhookAddress: webhookNetworks.isAllowed,
		programDocuments:
			options.programDocuments ?? createProgramDocuments({ isAllowed: webhookNetworks.isAllowed }),
		readTxt: createTxtReader(options.nameServers),
		signIns,
		actors,
		statistics: events,
		refusals,
	});
	const uses = createUseRecorder(db);
	const keyUses = createKeyUseRecorder(db);
	const directoryEvents = createDirectoryEventRecorder(db);
	const testCalls = createTestCallRecorder(db, rateLimits.limits.testCalls);
	const buffers = [
		...uses.buffers,
		...signIns.buffers,
		...[keyUses, actors, testCalls, refusals, directoryEvents].map(({ buffer }) => buffer),
	];
	// Last, because writing refused calls counts them.
	const recording: Flushable = { flush: () => flushAll(buffers, [events]) };
	const calls = createCalls({ ...platform, db, tracing });
	const listeners = await openListeners(config, {
		...installation,
		...options,
		platform,
		recorders: { uses, keyUses, testCalls, directoryEvents },
		events,
		buffers: [...buffers, events.buffer],
		rateLimits,
		mail: mail.delivery,
		logoutStats: calls.logoutStats,
		databaseServer: serverWatch.current,
		isDatabaseDamaged: integrity.isDamaged,
		certificate,
		tracing,
	}).catch((error) => {
		rateLimits.close();
		throw error;
	});
	if (listeners.collectMetrics !== undefined) telemetry?.sendMetrics(listeners.collectMetrics);
	warnOfPlainHttp(config, listeners.ports.http, log);
	warnOfPlainPublicUrl(config, log);
	const replaceTls = (tls: Tls): void => listeners.server.listeners.replaceTls(tls);
	const { pollMs } = options;
	const jobs = createJobs(platform, [
		{ name: "write-records", everyMs: pollMs, run: recording.flush },
		...watchFiles(installation.engine),
		...(isEmbedded ? [integrity.job] : [ownerWatch.job]),
		clockWatch.job,
		{ ...certificate.watch(replaceTls), everyMs: pollMs },
		serverWatch.job,
	]);
	const workers = [mail.delivery, ...calls.workers, jobs, keyRing, idTokenKeyRing];
	for (const worker of workers) worker.start();
	const { settings, dataDir, database } = describePlace(config);
	const place = { settings: settings ?? "defaults", data_directory: dataDir, database };
	log.info({ ...place, pid: process.pid }, "started");
	return {
		ports: listeners.ports,
		firstAdmin,
		reload(readConfig) {
			webhookNetworks.reload(readConfig);
			return certificate.reload(replaceTls);
		},
		stop(signal) {
			const parts = { log, listeners, workers, mail, recording, rateLimits, installation, telemetry };
			stopping ??= stopService(parts, config.drainSeconds, signal);
			return stopping;
		},
	};
}
