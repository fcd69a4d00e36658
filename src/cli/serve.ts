// `latchkey serve`: starts the service, reports when it is ready, and stops it on a signal.

import { buildStalePages } from "../app/build-stale-pages.ts";
import { createExtraAuthorities } from "../app/extra-authorities.ts";
import { createLog } from "../app/log.ts";
import { type Service, startService } from "../app/service.ts";
import type { Config } from "../config/config.ts";
import { refuseExampleValues } from "../config/example-values.ts";
import { loadConfig } from "../config/load.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { host } from "./host.ts";
import { printResult } from "./output.ts";
import { endOnUncaught, ignoreUserSignals, type StopSignal } from "./process-events.ts";

/** Supervisors kill after ten seconds; after draining, the service needs at most nine. */
const STOP_LIMIT_MS = 9_900;

interface ServeOptions {
	readonly new?: boolean;
}

/**
 * Prints the generated password of the first admin once, and as its last line `latchkey ready http://… https://…`.
 * After a stop signal during the start, the service stops without that line. Ends the process.
 */
export async function serve(stop: StopSignal, { new: isNew = false }: ServeOptions): Promise<void> {
	const config = loadConfig(host().env);
	refuseExampleValues(config);
	const log = createLog(config.logLevel);
	endOnUncaught(log);
	ignoreUserSignals(log);
	await buildStalePages(log);
	let service: Service | undefined;
	const authorities = createExtraAuthorities(host().env.NODE_EXTRA_CA_CERTS, log);
	// Without a listener, SIGHUP would end the process. During the start there is nothing to reload.
	host().on("SIGHUP", () => {
		authorities.reload();
		void service?.reload(() => loadConfig(host().env));
	});
	service = await startService(config, { log, isNew, end: () => process.exit(EXIT_STATUS.damaged) });
	printFirstAdmin(service);
	const ready = urls(config, service);
	if (!stop.isReceived) printResult({ ready: true, urls: ready }, `latchkey ready ${ready.join(" ")}`);
	const signal = await stop.received;
	setTimeout(
		() => {
			log.fatal({}, "the stop took too long, the process exits now");
			process.exit(1);
		},
		config.drainSeconds * 1_000 + STOP_LIMIT_MS,
	).unref();
	await service.stop(signal);
	process.exit(0);
}

function printFirstAdmin({ firstAdmin }: Service): void {
	if (firstAdmin?.passwordPlain === undefined) return;
	const { username, passwordPlain } = firstAdmin;
	printResult(
		{ first_admin: { username, password: passwordPlain } },
		`first admin: ${username}  password: ${passwordPlain}  (shown only this once)`,
	);
}

function urls(config: Config, { ports }: Service): string[] {
	const host = config.host.includes(":") ? `[${config.host}]` : config.host;
	return [
		...(ports.http === null ? [] : [`http://${host}:${ports.http}`]),
		...(ports.https === null ? [] : [`https://${host}:${ports.https}`]),
	];
}
