// What is written in an X.509 certificate.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** Reads the first certificate of a PEM text. @throws Error when there is none. */
export function inspectCertificate(certPem: string) {
	const certificate = new X509Certificate(certPem);
	return {
		subject: certificate.subject,
		validFromMs: certificate.validFromDate.getTime(),
		validToMs: certificate.validToDate.getTime(),
		/** Whether the private key (PEM) is this certificate's. @throws Error when it is no key. */
		belongsTo: (keyPem: string): boolean => certificate.checkPrivateKey(createPrivateKey(keyPem)),
		/** Whether a client that asks for this host name or IP address takes it (RFC 9525). */
		covers: (host: string): boolean =>
			(isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
	};
}
