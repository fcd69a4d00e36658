// Certificates for tests of TLS.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { generate } from "selfsigned";

export interface CertificateFilePair {
	readonly certFile: string;
	readonly keyFile: string;
}

/** Generates a self-signed pair for localhost and 127.0.0.1, valid for `days` (negative: expired). */
export async function makeCertificate(
	name: string,
	days = 30,
): Promise<{ readonly cert: string; readonly key: string }> {
	const made = await generate([{ name: "commonName", value: name }], {
		keyType: "ec",
		notBeforeDate: new Date(Date.now() - 10 * 86_400_000),
		notAfterDate: new Date(Date.now() + days * 86_400_000),
		extensions: [
			{
				name: "subjectAltName",
				altNames: [
					{ type: 2, value: "localhost" },
					{ type: 7, ip: "127.0.0.1" },
				],
			},
		],
	});
	return { cert: made.cert, key: made.private };
}

/** Writes the pair to `cert.pem` and `key.pem`; replaces existing files. */
export function putCertificate(
	folder: string,
	pair: { readonly cert: string; readonly key: string },
): CertificateFilePair {
	const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
	writeFileSync(files.certFile, pair.cert);
	writeFileSync(files.keyFile, pair.key, { mode: 0o600 });
	return files;
}

/** The common name of the certificate that the server presents on a new connection. */
export function shownName(url: string): Promise<string> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve, reject) => {
		const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
			resolve(String(socket.getPeerCertificate().subject.CN));
			socket.destroy();
		});
		socket.on("error", reject);
	});
}
