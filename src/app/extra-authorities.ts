// Reloads the certificate authorities in NODE_EXTRA_CA_CERTS on request, because Node reads them only at startup.

import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Log } from "../kernel/log.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns a function that reads the file again and replaces the extra authorities of this process. New connections use
 * them. A failure is logged and keeps the current ones.
 */
export function createExtraAuthorities(file: string | undefined, log: Log): { reload(): void } {
	if (file === undefined || file === "") return { reload: () => undefined };
	const extra = new Set(getCACertificates("extra"));
	const others = getCACertificates("default").filter((certificate) => !extra.has(certificate));
	return {
		reload() {
			try {
				setDefaultCACertificates([...others, ...(readFileSync(file, "utf8").match(CERTIFICATE) ?? [])]);
				log.info({}, "certificate authorities reloaded");
			} catch (err) {
				log.error({ err }, "certificate authorities not reloaded, the current ones stay in use");
			}
		},
	};
}
