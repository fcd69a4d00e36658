// The certificate to serve: the configured one, or a self-signed pair kept in the data folder.

import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import {
	type CertificateFiles,
	type CertificatePair,
	type InspectCertificate,
	readCertificate,
	readCertificateFacts,
} from "./certificate.ts";
import { writeFileDurably } from "./durable-file.ts";

const OWN_NAME = "latchkey self-signed";
/** Apple's platforms take no server certificate of more than 825 days, even one the user trusts by hand. */
const LIFETIME_MS = 824 * DAY_MS;
/** A pair with less left than this is made anew at a start or reload, so that nobody has to think of it. */
const RENEW_BEFORE_MS = 90 * DAY_MS;
/** A client whose clock is a little late takes a new certificate too. */
const CLOCK_SLACK_MS = HOUR_MS;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"];

export interface CertificateSource {
	/** As configured; null for the pair in the data folder. */
	readonly files: CertificateFiles | null;
	readonly dataDir: string;
	/** Its host is named in a self-signed certificate beside the local ones. */
	readonly publicUrl: string;
}

/** `made`: a self-signed pair was made just now. */
export type ServingCertificate = CertificatePair & { readonly made: boolean };

/**
 * The configured pair, or `tls-cert.pem` and `tls-key.pem` (0600) in the data folder: made when missing, and made
 * anew when it is ours and near its end, halved by a crash, or for another public host. A pair somebody else put
 * there is used and never overwritten. Wants the folder's lock; safe to call again at any time.
 *
 * @throws StartError as `readCertificate`, or when the pair cannot be written.
 */
export async function ensureCertificate(
	source: CertificateSource,
	inspect: InspectCertificate,
	nowMs: number,
): Promise<ServingCertificate> {
	if (source.files !== null) return { ...readCertificate(source.files, inspect, nowMs), made: false };
	const files = {
		certFile: join(source.dataDir, "tls-cert.pem"),
		keyFile: join(source.dataDir, "tls-key.pem"),
	};
	const hosts = hostsFor(source.publicUrl);
	if (!needsMaking(files, hosts, inspect, nowMs))
		return { ...readCertificate(files, inspect, nowMs), made: false };
	return makePair(files, hosts, nowMs);
}

function needsMaking(
	files: CertificateFiles,
	hosts: readonly string[],
	inspect: InspectCertificate,
	nowMs: number,
): boolean {
	if (!existsSync(files.certFile)) {
		// A crash leaves the certificate without the key, never this: the certificate is written first.
		if (!existsSync(files.keyFile)) return true;
		throw new StartError(
			`${files.keyFile} has no certificate beside it; add ${files.certFile}, or remove the key`,
		);
	}
	const facts = readCertificateFacts(files.certFile, inspect);
	if (facts.subject !== `CN=${OWN_NAME}`) return false;
	const fits = hosts.every((host) => facts.covers(host)) && facts.validToMs - nowMs >= RENEW_BEFORE_MS;
	return !fits || !isPair(files, inspect, nowMs);
}

function isPair(files: CertificateFiles, inspect: InspectCertificate, nowMs: number): boolean {
	try {
		readCertificate(files, inspect, nowMs);
		return true;
	} catch (error) {
		if (error instanceof StartError) return false;
		throw error;
	}
}

/** The local names and the host of the public URL, IPv6 without brackets. */
function hostsFor(publicUrl: string): readonly string[] {
	const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
	return [...new Set([...LOCAL_HOSTS, host])];
}

async function makePair(
	files: CertificateFiles,
	hosts: readonly string[],
	nowMs: number,
): Promise<ServingCertificate> {
	// Loaded only here: nearly every start finds its pair.
	const { generate } = await import("selfsigned");
	// A certificate counts whole seconds.
	const validToMs = Math.floor((nowMs + LIFETIME_MS) / SECOND_MS) * SECOND_MS;
	const altNames = hosts.map((host) =>
		isIP(host) === 0 ? { type: 2 as const, value: host } : { type: 7 as const, ip: host },
	);
	const made = await generate([{ name: "commonName", value: OWN_NAME }], {
		keyType: "ec",
		curve: "P-256",
		algorithm: "sha256",
		notBeforeDate: new Date(nowMs - CLOCK_SLACK_MS),
		notAfterDate: new Date(validToMs),
		extensions: [
			{ name: "basicConstraints", cA: false, critical: true },
			{ name: "keyUsage", digitalSignature: true, critical: true },
			{ name: "extKeyUsage", serverAuth: true },
			{ name: "subjectAltName", altNames },
		],
	});
	writeFileDurably(files.certFile, made.cert.endsWith("\n") ? made.cert : `${made.cert}\n`);
	writeFileDurably(files.keyFile, made.private);
	return { certPem: made.cert, keyPem: made.private, validToMs, made: true };
}
