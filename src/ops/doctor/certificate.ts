// Checks the certificate: its files, its validity, and whether it covers the public host.

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	type CertificateFiles,
	readCertificate,
	readCertificateFacts,
} from "../../adapters/files/certificate.ts";
import { ACME_STATE, type AcmeState } from "../../adapters/sql/acme-state.ts";
import { inspectSqliteAcme } from "../../adapters/sqlite/inspect-sqlite.ts";
import { databaseFile, withDatabase } from "../../app/installation-place.ts";
import type { AcmeSettings, Config } from "../../config/config.ts";
import { isLocal, publicHost } from "../../config/public-host.ts";
import { inspectCertificate } from "../../crypto/certificate.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { DAY_MS, isoTime } from "../../kernel/clock.ts";
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

async function examineAcme(
	config: Config,
	{ domain, directory }: AcmeSettings,
	nowMs: number,
): Promise<InstallationCheck> {
	const state = await readState(config, domain);
	const until = state?.valid_to == null ? undefined : isoTime(Number(state.valid_to));
	if (state?.last_error != null)
		return check("certificate.not_issued", { directory, reason: state.last_error, until: until ?? "never" });
	if (until === undefined) return check("certificate.pending", { directory, domain });
	const isOver = Number(state?.valid_to) <= nowMs;
	return check(isOver ? "certificate.expired" : "certificate.issued", { domain, until });
}

async function readState(config: Config, domain: string): Promise<AcmeState | undefined> {
	if (config.databaseUrl === null) return inspectSqliteAcme(databaseFile(config), domain);
	return await withDatabase(config, ({ queries }) => queries.one<AcmeState>(ACME_STATE, domain));
}
