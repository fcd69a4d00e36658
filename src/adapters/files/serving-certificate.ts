// The certificate to serve: the configured one, or a self-signed pair in the data directory.

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
/** Apple's platforms refuse server certificates valid for more than 825 days, even manually trusted ones. */
const LIFETIME_MS = 824 * DAY_MS;
/** A start or reload renews a pair with less remaining validity. */
const RENEW_BEFORE_MS = 90 * DAY_MS;
/** Tolerates clients with a slow clock. */
const CLOCK_SLACK_MS = HOUR_MS;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"];

export interface CertificateSource {
	/** As configured; null for the pair in the data directory. */
	readonly files: CertificateFiles | null;
	readonly dataDir: string;
	/** A self-signed certificate is valid for its host and the local names. */
	readonly publicUrl: string;
}

/** `created`: this call created a self-signed pair. */
export type ServingCertificate = CertificatePair & { readonly created: boolean };

/**
 * The configured pair, or the self-signed `tls-cert.pem` and `tls-key.pem` (0600) in the data directory. Creates a missing
 * pair, and replaces its own pair when it is about to expire, when a crash left only half of it, or when the public host
 * changed. Never overwrites a pair of the operator. The caller holds the lock of the directory. Safe to repeat.
 *
 * @throws StartError as `readCertificate`, or when the pair cannot be written.
 */
export async function ensureCertificate(
	source: CertificateSource,
	inspect: InspectCertificate,
	nowMs: number,
): Promise<ServingCertificate> {
	if (source.files !== null) return { ...readCertificate(source.files, inspect, nowMs), created: false };
	const files = {
		certFile: join(source.dataDir, "tls-cert.pem"),
		keyFile: join(source.dataDir, "tls-key.pem"),
	};
	const hosts = hostsFor(source.publicUrl);
	if (!needsNewPair(files, hosts, inspect, nowMs))
		return { ...readCertificate(files, inspect, nowMs), created: false };
	return createPair(files, hosts, nowMs);
}

function needsNewPair(
	files: CertificateFiles,
	hosts: readonly string[],
	inspect: InspectCertificate,
	nowMs: number,
): boolean {
	if (!existsSync(files.certFile)) {
		// A crash never leaves only the key: the certificate is written first.
		if (!existsSync(files.keyFile)) return true;
		throw new StartError(`${files.keyFile} has no certificate; add ${files.certFile}, or remove the key`);
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

async function createPair(
	files: CertificateFiles,
	hosts: readonly string[],
	nowMs: number,
): Promise<ServingCertificate> {
	// Loaded only here: nearly every start finds an existing pair.
	const { generate } = await import("selfsigned");
	// Certificates store whole seconds.
	const validToMs = Math.floor((nowMs + LIFETIME_MS) / SECOND_MS) * SECOND_MS;
	const altNames = hosts.map((host) =>
		isIP(host) === 0 ? { type: 2 as const, value: host } : { type: 7 as const, ip: host },
	);
	const pair = await generate([{ name: "commonName", value: OWN_NAME }], {
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
	writeFileDurably(files.certFile, pair.cert.endsWith("\n") ? pair.cert : `${pair.cert}\n`);
	writeFileDurably(files.keyFile, pair.private);
	return { certPem: pair.cert, keyPem: pair.private, validToMs, created: true };
}
