// A test certificate authority for servers with any name; this process trusts it after its first use.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";

export interface KeyPair {
	readonly cert: string;
	readonly key: string;
}

export interface Authority {
	/** The root certificate in PEM. */
	readonly certificate: string;
	/** A file with the root certificate, for `NODE_EXTRA_CA_CERTS` of another process. */
	readonly certificateFile: string;
	/** Issues a certificate for exactly these host names and IP addresses. */
	issue(names: readonly string[]): Promise<KeyPair>;
	/** Signs a certificate signing request (DER) for one host name; returns the certificate and the root in PEM. */
	sign(request: Buffer, name: string, days: number): string;
}

let authority: Promise<Authority> | undefined;

/** The certificate authority of this process. */
export function trustedAuthority(): Promise<Authority> {
	authority ??= makeAuthority();
	return authority;
}

async function makeAuthority(): Promise<Authority> {
	// The name must be unique: of two roots with the same name, TLS finds only the first.
	const root = await generate([{ name: "commonName", value: `test authority ${process.pid}` }], {
		keyType: "ec",
		algorithm: "sha256",
		...validity(),
		extensions: [
			{ name: "basicConstraints", cA: true, critical: true },
			{ name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
		],
	});
	const folder = mkdtempSync(join(tmpdir(), "latchkey-authority-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	const certificateFile = join(folder, "root.pem");
	writeFileSync(certificateFile, root.cert);
	const keyFile = join(folder, "root.key");
	writeFileSync(keyFile, root.private);
	let signed = 0;
	setDefaultCACertificates([...getCACertificates("default"), root.cert]);
	return {
		certificate: root.cert,
		certificateFile,
		async issue(names) {
			const made = await generate([{ name: "commonName", value: names[0] ?? "" }], {
				keyType: "ec",
				algorithm: "sha256",
				...validity(),
				ca: { key: root.private, cert: root.cert },
				extensions: [
					{ name: "basicConstraints", cA: false },
					{ name: "extKeyUsage", serverAuth: true },
					{
						name: "subjectAltName",
						altNames: names.map((name) =>
							isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
						),
					},
				],
			});
			return { cert: made.cert, key: made.private };
		},
		sign(request, name, days) {
			const extensions = join(folder, `extensions-${++signed}.cnf`);
			writeFileSync(
				extensions,
				`basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:${name}\n`,
			);
			const options = [
				"-CA",
				certificateFile,
				"-CAkey",
				keyFile,
				"-days",
				String(days),
				"-extfile",
				extensions,
			];
			const made = execFileSync("openssl", ["x509", "-req", "-inform", "DER", ...options], {
				input: request,
				stdio: ["pipe", "pipe", "pipe"],
			});
			return `${made}${root.cert}`;
		},
	};
}

function validity() {
	const day = 86_400_000;
	return { notBeforeDate: new Date(Date.now() - day), notAfterDate: new Date(Date.now() + 30 * day) };
}
