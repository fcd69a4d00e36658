// `latchkey serve`: starts the service, says when it is ready, and stops it on a signal.

import { createLog } from "../app/log.ts";
import { type Service, startService } from "../app/service.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import type { StopSignal } from "./stop-signal.ts";

/** Supervisors kill ten seconds after they ask; the service itself needs nine at most, after the seconds of draining. */
const STOP_LIMIT_MS = 9_900;

/**
 * Prints the first admin's password once, and as its last line `latchkey ready http://… https://…`. A stop that is
 * asked for during the start is made right after it, without that line. Ends the process.
 */
export async function serve(stop: StopSignal): Promise<void> {
	const config = loadConfig(process.env);
	const log = createLog(config.logLevel);
	process.on("uncaughtException", (error) => {
		log.fatal({ err: error }, "crashed");
		process.exit(1);
	});
	let service: Service | undefined;
	// During the start the certificate is yet to be read; without a listener the signal would end the process.
	process.on("SIGHUP", () => void service?.reload());
	service = await startService(config, { log });
	printFirstAdmin(service);
	if (!stop.isGiven) console.log(`latchkey ready ${urls(config, service).join(" ")}`);
	await stop.given;
	setTimeout(
		() => {
			log.fatal({}, "the stop took too long and was cut short");
			process.exit(1);
		},
		config.drainSeconds * 1_000 + STOP_LIMIT_MS,
	).unref();
	await service.stop();
	process.exit(0);
}

function printFirstAdmin({ firstAdmin }: Service): void {
	if (firstAdmin?.passwordPlain === undefined) return;
	console.log(
		`first admin: ${firstAdmin.username}  password: ${firstAdmin.passwordPlain}  (shown only this once)`,
	);
}

function urls(config: Config, { ports }: Service): string[] {
	const host = config.host.includes(":") ? `[${config.host}]` : config.host;
	return [
		...(ports.http === null ? [] : [`http://${host}:${ports.http}`]),
		...(ports.https === null ? [] : [`https://${host}:${ports.https}`]),
	];
}
