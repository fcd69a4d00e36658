// Inspects X.509 certificates.

import { createPrivateKey, generateKeyPair, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";

/** Reads the first certificate of a PEM text. @throws Error when there is none. */
export function inspectCertificate(certPem: string) {
	const certificate = new X509Certificate(certPem);
	return {
		/** Only this certificate, without anything else that the text contains. */
		pem: certificate.toString(),
		subject: certificate.subject,
		validFromMs: certificate.validFromDate.getTime(),
		validToMs: certificate.validToDate.getTime(),
		/** Whether the private key (PEM) belongs to this certificate. @throws Error when it is not a key. */
		belongsTo: (keyPem: string): boolean => certificate.checkPrivateKey(createPrivateKey(keyPem)),
		/** Whether a client that connects to this host name or IP address accepts it (RFC 9525). */
		covers: (host: string): boolean =>
			(isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
	};
}

const generatePair = promisify(generateKeyPair);

/** A new key of the curve P-256 in PEM (PKCS #8). */
export async function generatePrivateKey(): Promise<string> {
	const { privateKey } = await generatePair("ec", {
		namedCurve: "P-256",
		publicKeyEncoding: { type: "spki", format: "pem" },
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
	});
	return privateKey;
}
