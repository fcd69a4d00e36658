// `latchkey serve`: starts the service, says when it is ready, and stops it on a signal.

import { startService } from "../app/service.ts";
import { loadConfig } from "../config/load.ts";

/** Prints the first admin's password once, and as its last line `latchkey ready http://… https://…`. */
export async function serve(): Promise<void> {
	const config = loadConfig(process.env);
	const service = await startService(config);
	const { firstAdmin, ports } = service;
	if (firstAdmin?.passwordPlain !== undefined) {
		console.log(
			`first admin: ${firstAdmin.username}  password: ${firstAdmin.passwordPlain}  (shown only this once)`,
		);
	}
	const host = config.host.includes(":") ? `[${config.host}]` : config.host;
	const urls = [
		...(ports.http === null ? [] : [`http://${host}:${ports.http}`]),
		...(ports.https === null ? [] : [`https://${host}:${ports.https}`]),
	];
	console.log(`latchkey ready ${urls.join(" ")}`);
	process.on("SIGHUP", () => void service.reload());
	for (const signal of ["SIGTERM", "SIGINT"] as const) {
		process.once(signal, () => {
			service.stop().then(
				() => process.exit(0),
				(error: unknown) => {
					console.error(error);
					process.exit(1);
				},
			);
		});
	}
}
