// Checks the certificate: its files, its validity, and whether it covers the public host.

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	type CertificateFiles,
	readCertificate,
	readCertificateFacts,
} from "../../adapters/files/certificate.ts";
import type { Config } from "../../config/config.ts";
import { isLocal, publicHost } from "../../config/public-host.ts";
import { inspectCertificate } from "../../crypto/certificate.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { DAY_MS, isoTime } from "../../kernel/clock.ts";
import { examineAcme } from "./acme.ts";
import { failing } from "./failing.ts";

const SOON_MS = 21 * DAY_MS;

export function examineCertificate(config: Config, nowMs: number): Promise<InstallationCheck[]> {
	return failing("certificate.unusable", () => {
		if (config.acme !== null) return examineAcme(config, config.acme, nowMs).then((found) => [found]);
		const files = certificateFiles(config);
		return config.tls !== null || existsSync(files.certFile)
			? examineFiles(config, files, nowMs)
			: check("certificate.missing");
	});
}

/** The configured ones, or those that the first start creates. */
export function certificateFiles({ tls, dataDir }: Pick<Config, "tls" | "dataDir">): CertificateFiles {
	return tls ?? { certFile: join(dataDir, "tls-cert.pem"), keyFile: join(dataDir, "tls-key.pem") };
}

function examineFiles(config: Config, files: CertificateFiles, nowMs: number): InstallationCheck {
	const { warning, validToMs } = readCertificate(files, inspectCertificate, nowMs);
	if (warning !== undefined) return check("certificate.invalid", { reason: warning });
	const host = publicHost(config);
	const validity = { file: files.certFile, until: isoTime(validToMs) };
	if (!readCertificateFacts(files.certFile, inspectCertificate).covers(host))
		return check("certificate.other_host", { ...validity, host });
	if (validToMs - nowMs < SOON_MS) return check("certificate.expiring", validity);
	const isTrusted = config.tls !== null || isLocal(host);
	return check(isTrusted ? "certificate.valid" : "certificate.self_signed", validity);
}
