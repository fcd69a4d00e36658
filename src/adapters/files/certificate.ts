// Reads a TLS certificate and its key from files, and checks that they can be served.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { isoTime } from "../../kernel/clock.ts";
import { readProblem, StartError, systemCode } from "../../kernel/start-error.ts";
import { stampOf } from "./file-stamp.ts";

export interface CertificateFiles {
	/** PEM: the certificate, then its chain. */
	readonly certFile: string;
	/** PEM: the private key, without a passphrase. */
	readonly keyFile: string;
}

/** The content of a certificate. */
export interface CertificateFacts {
	/** e.g. `CN=localhost`; several parts are separated by line feeds. */
	readonly subject: string;
	readonly validFromMs: number;
	readonly validToMs: number;
	/** Whether the certificate is valid for this host name or IP address. */
	covers(host: string): boolean;
	/** Whether the private key belongs to this certificate. @throws any error when the text is not a key. */
	belongsTo(keyPem: string): boolean;
}

/** Reads the first certificate in a PEM text. @throws any error when there is none. */
export type InspectCertificate = (certPem: string) => CertificateFacts;

/** Ready for `tls.createSecureContext`. `keyPem` is a secret. */
export interface CertificatePair {
	readonly certPem: string;
	readonly keyPem: string;
	readonly validToMs: number;
	/** A line to log when clients will refuse the pair: expired, or not yet valid. */
	readonly warning?: string;
}

/**
 * Reads the pair. Returns an expired one with a `warning`: a restart must not take down plain HTTP behind a proxy
 * because of an unused certificate.
 *
 * @throws StartError when a file is missing, unreadable, or not PEM, or the two do not belong together.
 */
export function readCertificate(
	files: CertificateFiles,
	inspect: InspectCertificate,
	nowMs: number,
): CertificatePair {
	const certPem = readPem(files.certFile, "certificate");
	const keyPem = readPem(files.keyFile, "TLS key");
	const facts = readFacts(files.certFile, certPem, inspect);
	checkKey(files.keyFile, keyPem);
	checkMatch(files, { cert: certPem, key: keyPem }, facts);
	const pair = { certPem, keyPem, validToMs: facts.validToMs };
	const problem = findDateProblem(facts, nowMs);
	return problem === undefined ? pair : { ...pair, warning: `certificate ${files.certFile} ${problem}` };
}

/**
 * Reloads the pair (SIGHUP). The caller keeps the current pair when this throws.
 *
 * @throws StartError as `readCertificate`, and when the pair is expired or not yet valid.
 */
export function reloadCertificate(
	files: CertificateFiles,
	inspect: InspectCertificate,
	nowMs: number,
): CertificatePair {
	const pair = readCertificate(files, inspect, nowMs);
	if (pair.warning !== undefined) throw new StartError(pair.warning);
	return pair;
}

/**
 * Watches the pair. The returned function returns true once after a replacement, when both files have not changed since
 * its previous call: the two are usually written one after the other.
 */
export function watchCertificate({ certFile, keyFile }: CertificateFiles): () => boolean {
	const stamp = () => `${stampOf(certFile)} ${stampOf(keyFile)}`;
	let served = stamp();
	let previous = served;
	return () => {
		const current = stamp();
		const isReplaced = current !== served && current === previous;
		previous = current;
		if (isReplaced) served = current;
		return isReplaced;
	};
}

/** @throws StartError when the file cannot be read or is not a certificate. */
export function readCertificateFacts(file: string, inspect: InspectCertificate): CertificateFacts {
	return readFacts(file, readPem(file, "certificate"), inspect);
}

function readFacts(file: string, certPem: string, inspect: InspectCertificate): CertificateFacts {
	try {
		return inspect(certPem);
	} catch (cause) {
		throw new StartError(`certificate ${file} contains no PEM certificate`, { cause });
	}
}

function readPem(file: string, what: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (cause) {
		throw new StartError(`${what} ${file} ${readProblem(cause)}`, { cause });
	}
}

function checkKey(file: string, keyPem: string): void {
	if (!keyPem.includes("PRIVATE KEY-----"))
		throw new StartError(`TLS key ${file} contains no PEM private key`);
	if (keyPem.includes("ENCRYPTED")) {
		throw new StartError(`TLS key ${file} is protected by a passphrase; provide it without one`);
	}
	try {
		createSecureContext({ key: keyPem });
	} catch (cause) {
		throw new StartError(`TLS key ${file} is not usable (${systemCode(cause)})`, { cause });
	}
}

function checkMatch(
	files: CertificateFiles,
	pair: { cert: string; key: string },
	facts: CertificateFacts,
): void {
	const subject = `certificate ${files.certFile} and TLS key ${files.keyFile}`;
	// Check this first: OpenSSL accepts an RSA key with an EC certificate, one of each type.
	if (!facts.belongsTo(pair.key)) throw new StartError(`${subject} do not belong together`);
	try {
		createSecureContext(pair);
	} catch (cause) {
		throw new StartError(`${subject} are not usable together (${systemCode(cause)})`, { cause });
	}
}

function findDateProblem(facts: CertificateFacts, nowMs: number): string | undefined {
	if (nowMs > facts.validToMs) return `expired at ${isoTime(facts.validToMs)}`;
	if (nowMs < facts.validFromMs) return `is not valid before ${isoTime(facts.validFromMs)}`;
	return undefined;
}
