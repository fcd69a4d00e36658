// Compares the public URL with the listeners: whether HTTPS is on where clients connect, and which certificate they get.

import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:tls";
import type { Config } from "../../config/config.ts";
import { isLocal, isPlainPublicUrl, loopbackOf, publicHost } from "../../config/public-host.ts";
import { inspectCertificate } from "../../crypto/certificate.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { isoTime } from "../../kernel/clock.ts";
import { certificateFiles } from "./certificate.ts";

const HTTPS_PORT = 443;
const HANDSHAKE_TIMEOUT_MS = 3_000;

type UrlConfig = Pick<Config, "host" | "publicUrl" | "httpsPort" | "trustedProxies">;

export function examinePublicUrl(config: UrlConfig): InstallationCheck[] {
	const { host, publicUrl: url, httpsPort, trustedProxies } = config;
	const isLocalHost = isLocal(publicHost(config));
	if (isLocalHost) return isLocal(host) ? [] : [check("public_url.local", { url })];
	if (isPlainPublicUrl(config)) return [check("public_url.plain", { url })];
	// A proxy terminates TLS, on ports that the service does not know.
	if (trustedProxies.length > 0) return [];
	if (httpsPort === null) return [check("public_url.no_https", { url })];
	const port = Number(new URL(url).port) || HTTPS_PORT;
	return port === httpsPort ? [] : [check("public_url.other_port", { url, port, https_port: httpsPort })];
}

/** Nothing if no service runs, or it serves the certificate of the files. */
export async function examineServedCertificate(config: Config): Promise<InstallationCheck[]> {
	const { certFile } = certificateFiles(config);
	if (config.acme !== null || config.httpsPort === null || !existsSync(certFile)) return [];
	const served = await certificateServed(loopbackOf(config.host), config.httpsPort);
	if (served === undefined) return [];
	try {
		const stored = inspectCertificate(readFileSync(certFile, "utf8"));
		if (served.pem === stored.pem) return [];
	} catch {
		// Another check says that the file is unusable.
		return [];
	}
	const until = isoTime(served.validToMs);
	return [check("certificate.not_served", { file: certFile, port: config.httpsPort, until })];
}

/** Undefined if the port does not speak TLS. */
function certificateServed(
	host: string,
	port: number,
): Promise<ReturnType<typeof inspectCertificate> | undefined> {
	return new Promise((resolve) => {
		// Only the certificate is read: nothing is sent.
		const socket = connect({ host, port, rejectUnauthorized: false, timeout: HANDSHAKE_TIMEOUT_MS });
		const end = (pem: string | undefined) => {
			socket.destroy();
			resolve(pem === undefined ? undefined : inspectCertificate(pem));
		};
		socket.once("secureConnect", () => end(socket.getPeerX509Certificate()?.toString()));
		socket.once("error", () => end(undefined)).once("timeout", () => end(undefined));
	});
}
