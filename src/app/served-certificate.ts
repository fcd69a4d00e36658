// The certificate that the listeners serve: read at the start, and again on request.

import { reloadCertificate } from "../adapters/files/certificate.ts";
import { ensureCertificate } from "../adapters/files/serving-certificate.ts";
import type { Config } from "../config/config.ts";
import { inspectCertificate } from "../crypto/certificate.ts";
import type { Tls } from "../http/listeners.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";

interface ServedCertificate {
	readonly tls: Tls;
	/** Reads the files again and passes the pair to `replace`. A failure is logged, and the current pair stays. */
	reload(replace: (tls: Tls) => void): Promise<void>;
}

/** Creates a self-signed pair where none is configured. @throws StartError as `ensureCertificate` */
export async function openCertificate(config: Config, clock: Clock, log: Log): Promise<ServedCertificate> {
	const { tls, dataDir, publicUrl } = config;
	const ensure = () => ensureCertificate({ files: tls, dataDir, publicUrl }, inspectCertificate, clock());
	const pair = await ensure();
	if (pair.warning !== undefined) log.warn({}, pair.warning);
	return {
		tls: { cert: pair.certPem, key: pair.keyPem },
		async reload(replace) {
			try {
				const next = tls === null ? await ensure() : reloadCertificate(tls, inspectCertificate, clock());
				replace({ cert: next.certPem, key: next.keyPem });
				log.info({ valid_to: new Date(next.validToMs).toISOString() }, "certificate reloaded");
			} catch (error) {
				// The message of an expected error names the file and the problem; a stack trace adds nothing.
				const fields = error instanceof StartError ? { reason: error.message } : { err: error };
				log.error(fields, "certificate not reloaded, the old one stays");
			}
		},
	};
}
