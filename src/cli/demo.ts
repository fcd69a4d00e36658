// `latchkey demo`: a temporary service with example data, an application that signs in, and an API behind a gate.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, DAYS, startDemo } from "#demo";
import { buildStalePages } from "../app/build-stale-pages.ts";
import { createLog } from "../app/log.ts";
import { type Service, startService } from "../app/service.ts";
import { loadConfig } from "../config/load.ts";
import { randomPassword } from "../crypto/random.ts";
import { systemClock } from "../kernel/clock.ts";
import { printNote, printResult } from "./output.ts";
import { ignoreUserSignals, type StopSignal } from "./process-events.ts";

const HOST = "127.0.0.1";
/** Below the configurable ones: hundreds of example passwords protect nothing. */
const BCRYPT_COST = 4;

/** Reads no settings, so that it cannot touch an installation. Listens on this machine only, and removes all it wrote. */
export async function demo(stop: StopSignal): Promise<void> {
	const dataDir = mkdtempSync(join(tmpdir(), "latchkey-demo-"));
	let service: Service | undefined;
	let close = (): void => undefined;
	try {
		const password = randomPassword();
		const [port, httpsPort] = [await freePort(), await freePort()];
		const url = `https://localhost:${httpsPort}`;
		const config = loadConfig({
			LATCHKEY_DATA_DIR: dataDir,
			LATCHKEY_HOST: HOST,
			LATCHKEY_PORT: `${port}`,
			LATCHKEY_HTTPS_PORT: `${httpsPort}`,
			LATCHKEY_PUBLIC_URL: url,
			LATCHKEY_ADMIN_PASSWORD: password,
			LATCHKEY_LOG_LEVEL: "error",
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
			LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: HOST,
		});
		const log = createLog(config.logLevel);
		ignoreUserSignals(log);
		const clock = createDemoClock();
		printNote("starting a temporary service");
		await buildStalePages(log);
		service = await startService({ ...config, bcryptCost: BCRYPT_COST }, { log, clock: clock.now });
		const tls = { cert: read(dataDir, "tls-cert.pem"), key: read(dataDir, "tls-key.pem") };
		const admin = { username: config.admin.username, password };
		const started = await startDemo({ url, tls, admin, clock }, (what) => printNote(`adding ${what}`));
		close = started.close;
		const { portalUrl, apiUrl, reader } = started;
		printResult(
			{ ready: true, console: `${url}/console`, application: portalUrl, api: apiUrl, admin, reader },
			`Console      ${url}/console   an administrator: ${admin.username}, password: ${password}`,
			`Application  ${portalUrl}   shows each step of a sign-in, and calls an API behind a gate`,
			`             with a reader: ${reader.username}, password: ${reader.password}`,
			`API          ${apiUrl}/status   ten lines behind a gate`,
			`Reference    ${url}/docs`,
			"Your browser warns about the certificate once. Ctrl+C stops the demo and removes everything.",
		);
		await stop.received;
	} finally {
		close();
		await service?.stop();
		rmSync(dataDir, { recursive: true, force: true });
	}
	process.exit(0);
}

/** Begins in the past, so that the data of two weeks can be created, and then follows the clock of the machine. */
function createDemoClock() {
	let standsAtMs: number | undefined = systemClock() - DAYS * DAY_MS;
	return {
		now: () => standsAtMs ?? systemClock(),
		advance: (milliseconds: number) => {
			standsAtMs = (standsAtMs ?? systemClock()) + milliseconds;
		},
		standAt: (atMs: number) => {
			standsAtMs = atMs;
		},
		follow: () => {
			standsAtMs = undefined;
		},
	};
}

/** The public URL must be known before the start. */
async function freePort(): Promise<number> {
	const server = createServer();
	await once(server.listen(0, HOST), "listening");
	const { port } = server.address() as AddressInfo;
	await once(server.close(), "close");
	return port;
}

function read(folder: string, name: string): string {
	return readFileSync(join(folder, name), "utf8");
}
