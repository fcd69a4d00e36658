// The certificate that the listeners serve: read at the start, and again on request.

import { reloadCertificate, watchCertificate } from "../adapters/files/certificate.ts";
import { ensureCertificate } from "../adapters/files/serving-certificate.ts";
import type { Config } from "../config/config.ts";
import { inspectCertificate } from "../crypto/certificate.ts";
import type { Tls } from "../http/listeners.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Worker } from "./background.ts";

export interface ServedCertificate {
	readonly tls: Tls;
	/** When the pair that is served now expires. */
	validToMs(): number;
	/** Reads the files again and passes the pair to `replace`. A failure is logged, and the current pair stays. */
	reload(replace: (tls: Tls) => void): Promise<void>;
	/** Reloads configured files after they were replaced. A pair in the data folder is not watched. */
	watch(replace: (tls: Tls) => void): Worker;
}

/** A replaced certificate is served after twice this time at most. */
const WATCH_MS = 5 * SECOND_MS;

/** Creates a self-signed pair where none is configured. @throws StartError as `ensureCertificate` */
export async function openCertificate(config: Config, clock: Clock, log: Log): Promise<ServedCertificate> {
	const { tls, dataDir, publicUrl } = config;
	const ensure = () => ensureCertificate({ files: tls, dataDir, publicUrl }, inspectCertificate, clock());
	const pair = await ensure();
	let { validToMs } = pair;
	if (pair.warning !== undefined) log.warn({}, pair.warning);
	const reload: ServedCertificate["reload"] = async (replace) => {
		try {
			const next = tls === null ? await ensure() : reloadCertificate(tls, inspectCertificate, clock());
			replace({ cert: next.certPem, key: next.keyPem });
			validToMs = next.validToMs;
			log.info({ valid_to: new Date(next.validToMs).toISOString() }, "certificate reloaded");
		} catch (error) {
			// The message of an expected error names the file and the problem; a stack trace adds nothing.
			const fields = error instanceof StartError ? { error: error.message } : { err: error };
			log.error(fields, "certificate not reloaded, the old one stays");
		}
	};
	const isReplaced = tls === null ? () => false : watchCertificate(tls);
	const poll = async (replace: (tls: Tls) => void): Promise<void> => {
		try {
			if (isReplaced()) await reload(replace);
		} catch (err) {
			log.error({ err }, "certificate files cannot be watched");
		}
	};
	return {
		tls: { cert: pair.certPem, key: pair.keyPem },
		validToMs: () => validToMs,
		reload,
		watch: (replace) => pollEvery(WATCH_MS, () => poll(replace)),
	};
}

function pollEvery(intervalMs: number, poll: () => Promise<void>): Worker {
	let running = Promise.resolve();
	let timer: NodeJS.Timeout | undefined;
	const run = (): void => {
		running = running.then(poll);
	};
	return {
		start() {
			timer = setInterval(run, intervalMs).unref();
		},
		async stop() {
			clearInterval(timer);
			await running;
		},
	};
}
