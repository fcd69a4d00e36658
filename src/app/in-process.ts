// Runs requests of the API in this process, without a listener: the same guards, endpoints, audit events, and mails as in
// a service, which may run beside it or not.

import { createProgramDocuments } from "../adapters/programs/program-documents.ts";
import { createTxtReader } from "../adapters/read-txt.ts";
import type { Config } from "../config/config.ts";
import type { Operator } from "../domain/caller.ts";
import { addRoutes } from "../http/run/add-routes.ts";
import { createPipeline } from "../http/run/pipeline.ts";
import { createRateLimits } from "../http/run/rate-limit.ts";
import { Router } from "../http/run/router.ts";
import { type MemoryRequest, requestInMemory } from "../http/serve/in-memory.ts";
import type { Clock } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import { createMailPreview } from "./background.ts";
import { createConditionalChange } from "./conditional-changes.ts";
import { NO_RECORDERS } from "./described-routes.ts";
import { createEndpoints, createExportRecord, createGuards } from "./features.ts";
import { openKeyRings } from "./key-ring.ts";
import type { Installation } from "./open-installation.ts";
import { createPlatform, createProviders } from "./platform.ts";
import { createRoutes, rowsWith } from "./routes.ts";
import { openWebhookNetworks } from "./webhook-networks.ts";

export type { MemoryRequest };

/** Sends one request. Errors of the API are responses. */
export type SendInProcess = (request: MemoryRequest) => ReturnType<typeof requestInMemory>;

interface InProcessOptions {
	readonly clock: Clock;
	readonly log: Log;
	/** Calls every route that admits it. */
	readonly operator: Operator;
}

const nothing = (): void => undefined;

const NO_LIMITS = { perMinute: 0, clientPerMinute: 0, gatePerMinute: 0 };

/** @throws StartError when the master key does not open the keys of the installation. */
export async function openInProcess(
	config: Config,
	installation: Installation,
	{ clock, log, operator }: InProcessOptions,
): Promise<SendInProcess> {
	const { db } = installation;
	const { keyRing, idTokenKeyRing } = await openKeyRings({ ...installation, clock, log });
	const isWebhookAddress = openWebhookNetworks(config, log).isAllowed;
	const platform = await createPlatform(config, {
		...installation,
		clock,
		log,
		signingKeys: keyRing,
		idTokenKeyRing,
		checks: [],
		isStopping: () => false,
		// The running service looks for due mails every few seconds.
		wakeMail: nothing,
		previewMail: createMailPreview(config, { db, clock }),
		isWebhookAddress,
		providers: createProviders(config.providerAllowedNetworks),
		programDocuments: createProgramDocuments({ isAllowed: isWebhookAddress }),
		readTxt: createTxtReader(),
		signIns: { note: nothing, noteUse: nothing },
		actors: { note: nothing },
		statistics: { count: nothing, countFor: nothing },
		refusals: { record: nothing },
	});
	const guards = createGuards(platform, NO_RECORDERS, operator);
	const options = {
		routes: createRoutes(createEndpoints(platform), guards),
		mounts: [],
		pages: [],
		publicUrl: config.publicUrl,
		ownOrigin: undefined,
		log,
		rateLimits: createRateLimits(NO_LIMITS, () => performance.now()),
		trustedProxies: [],
		plainHttpNetworks: [],
		meter: undefined,
		tracing: undefined,
		newRequestId: () => newId(clock()),
		recordExport: createExportRecord(db),
		changeIfMatch: createConditionalChange(platform, rowsWith(guards)),
	};
	const router = new Router();
	addRoutes(router, options);
	const pipeline = createPipeline(router, options, { draining: false });
	return (request) => requestInMemory(pipeline, request);
}
