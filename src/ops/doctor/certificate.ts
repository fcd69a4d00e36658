// Checks the certificate: its files, its validity, and whether it covers the public host.

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	type CertificateFiles,
	readCertificate,
	readCertificateFacts,
} from "../../adapters/files/certificate.ts";
import type { Config } from "../../config/config.ts";
import { inspectCertificate } from "../../crypto/certificate.ts";
import { DAY_MS, isoTime } from "../../kernel/clock.ts";
import { type Finding, fail, failing, ok, warn } from "./finding.ts";
import { isLocal, publicHost } from "./public-host.ts";

const SOON_MS = 21 * DAY_MS;

export function examineCertificate(config: Config, nowMs: number): Promise<Finding[]> {
	return failing("certificate", () => {
		if (config.tls !== null) return examineFiles(config, config.tls, nowMs);
		const own = {
			certFile: join(config.dataDir, "tls-cert.pem"),
			keyFile: join(config.dataDir, "tls-key.pem"),
		};
		if (!existsSync(own.certFile))
			return ok("certificate", "a self-signed one will be made by the first start");
		const finding = examineFiles(config, own, nowMs);
		if (finding.level !== "ok" || isLocal(publicHost(config))) return finding;
		const advice = "self-signed: name one that others trust with LATCHKEY_TLS_CERT";
		return warn("certificate", `${finding.text}; ${advice}`);
	});
}

function examineFiles(config: Config, files: CertificateFiles, nowMs: number): Finding {
	const { warning, validToMs } = readCertificate(files, inspectCertificate, nowMs);
	if (warning !== undefined) return fail("certificate", `${warning}: replace it`);
	const host = publicHost(config);
	const text = `${files.certFile}, valid to ${isoTime(validToMs)}`;
	if (!readCertificateFacts(files.certFile, inspectCertificate).covers(host))
		return warn(
			"certificate",
			`${text}, does not name ${host} (LATCHKEY_PUBLIC_URL): clients will refuse it`,
		);
	if (validToMs - nowMs < SOON_MS) return warn("certificate", `${text}: replace it soon`);
	return ok("certificate", text);
}
