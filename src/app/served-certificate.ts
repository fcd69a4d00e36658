// The certificate that the listeners serve: read at startup, and again on request or when its files change.

import { reloadCertificate, watchCertificate } from "../adapters/files/certificate.ts";
import { ensureCertificate } from "../adapters/files/serving-certificate.ts";
import type { Config } from "../config/config.ts";
import { inspectCertificate } from "../crypto/certificate.ts";
import type { HealthCheck } from "../domain/health-check.ts";
import type { Tls } from "../http/serve/listeners.ts";
import { type LazyPage, type StaticPage, staticPage } from "../http/serve/static-page.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Job } from "./background.ts";

export interface ServedCertificate {
	readonly tls: Tls;
	/** When the current certificate expires. */
	validToMs(): number;
	/** The page from which users of a trial download the certificate to trust it; none if a certificate is configured. */
	readonly pages: ReadonlyMap<string, LazyPage>;
	/** Reads the files again and passes the pair to `replace`. A failure is logged and keeps the current pair. */
	reload(replace: (tls: Tls) => void): Promise<void>;
	/** A job that reloads configured files after they were replaced. A pair in the data directory is not watched. */
	watch(replace: (tls: Tls) => void): Job;
	/** Fail while this node serves what it should have replaced. */
	readonly checks: readonly HealthCheck[];
	/** The certificate for a pending challenge over TLS (RFC 8737), by the name that the server asks for. */
	readonly challenge?: (servername: string) => Promise<Tls | undefined>;
}

/** The service uses a replaced certificate after at most twice this time. */
const WATCH_MS = 5 * SECOND_MS;
const DOWNLOAD = "/docs/tls-cert.pem";

/** Creates a self-signed pair if none is configured. @throws StartError like `ensureCertificate`. */
export async function openCertificate(config: Config, clock: Clock, log: Log): Promise<ServedCertificate> {
	const { tls, dataDir, publicUrl } = config;
	const ensure = () => ensureCertificate({ files: tls, dataDir, publicUrl }, inspectCertificate, clock());
	const pair = await ensure();
	let { validToMs, certPem } = pair;
	if (pair.warning !== undefined) log.warn({}, pair.warning);
	const reload: ServedCertificate["reload"] = async (replace) => {
		try {
			const next = tls === null ? await ensure() : reloadCertificate(tls, inspectCertificate, clock());
			replace({ cert: next.certPem, key: next.keyPem });
			({ validToMs, certPem } = next);
			log.info({ valid_to: new Date(next.validToMs).toISOString() }, "certificate reloaded");
		} catch (error) {
			// The message of an expected error names the file and the problem; a stack trace adds nothing.
			const fields = error instanceof StartError ? { error: error.message } : { err: error };
			log.error(fields, "certificate not reloaded, the current one stays in use");
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
		checks: [],
		pages: new Map(tls === null ? [[DOWNLOAD, async () => downloadOf(certPem)]] : []),
		reload,
		watch: (replace) => ({ name: "watch-certificate", everyMs: WATCH_MS, run: () => poll(replace) }),
	};
}

/** An operator can replace the pair in the data directory with a file that contains the key as well. */
function downloadOf(certPem: string): StaticPage {
	// Browsers save this type.
	return staticPage(Buffer.from(inspectCertificate(certPem).pem), "application/x-pem-file");
}
